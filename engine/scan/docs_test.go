package scan

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/diag"
)

// docPath is where rules are explained to people.
const docPath = "../../docs/checks.md"

// section is the text of docs/checks.md about one rule.
type section struct {
	area, text string
	bad, good  []string
}

// parseDoc reads "## <area>", "### <rule-id>" and the examples of each rule,
// fenced as bad and good.
func parseDoc(doc string) map[string]*section {
	sections := map[string]*section{}
	area, fence, kind := "", "", ""
	var current *section
	var example strings.Builder
	for line := range strings.Lines(doc) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case fence != "" && text == fence:
			if current != nil && kind == "bad" {
				current.bad = append(current.bad, example.String())
			} else if current != nil && kind == "good" {
				current.good = append(current.good, example.String())
			}
			fence = ""
		case fence != "":
			example.WriteString(line)
		case strings.HasPrefix(text, "```"):
			kind = strings.TrimLeft(text, "`")
			fence = strings.TrimSuffix(text, kind)
			example.Reset()
		case strings.HasPrefix(text, "### "):
			current = &section{area: area}
			sections[strings.Trim(strings.TrimPrefix(text, "### "), "` ")] = current
		case strings.HasPrefix(text, "## "):
			area, current = strings.TrimPrefix(text, "## "), nil
		case current != nil:
			current.text += line
		}
	}
	return sections
}

// TestDocs checks that docs/checks.md explains every rule of the scanner where the
// rule's layer is explained, with the rule's own words and examples, and that the
// examples have the effect that they illustrate.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	sections := parseDoc(string(doc))
	layers := map[string]bool{}
	known := map[string]bool{}
	for _, f := range load(true).files {
		for _, r := range f.Rules {
			layers[string(f.Layer)], known[r.ID] = true, true
			t.Run(r.ID, func(t *testing.T) { checkSection(t, f.Layer, r, sections[r.ID]) })
		}
	}
	for id, s := range sections {
		if layers[s.area] && !known[id] {
			t.Errorf("docs explain %s under %q, which is no rule of the scanner", id, s.area)
		}
	}
}

func checkSection(t *testing.T, layer Layer, r ruleData, s *section) {
	if s == nil {
		t.Fatalf("%s has no section", docPath)
	}
	if s.area != string(layer) {
		t.Errorf("section stands under %q, want %q", s.area, layer)
	}
	flat := strings.Join(strings.Fields(s.text), " ")
	for _, words := range []string{"**" + r.Severity.String() + "**", r.Why, r.Fix} {
		if !strings.Contains(flat, words) {
			t.Errorf("section does not say %q", words)
		}
	}
	if diff := cmp.Diff([][]string{r.Bad, r.Good}, [][]string{s.bad, s.good}); diff != "" {
		t.Errorf("section has other examples (-rule +section):\n%s", diff)
	}
	for _, example := range r.Bad {
		if found := judgeExample(t, example); !fires(found, r.ID, r.Severity) {
			t.Errorf("bad example does not draw %s %s:\n%s\ngot %v", r.Severity, r.ID, example, found)
		}
	}
	for _, example := range r.Good {
		if found := judgeExample(t, example); found.HasErrors() || found.Count(diag.Warning) > 0 || firesAny(found, r.ID) {
			t.Errorf("good example draws findings:\n%s\ngot %v", example, found)
		}
	}
}

// judgeExample judges an example as a fixture or, if it is not an archive, as the
// body of a SKILL.md.
func judgeExample(t *testing.T, example string) diag.List {
	t.Helper()
	if !strings.HasPrefix(example, "-- ") {
		example = "-- skills/example/SKILL.md --\n" + example
	}
	return parseFixture(t, []byte(example)).judge()
}

func fires(found diag.List, rule string, severity diag.Severity) bool {
	for _, d := range found {
		if d.Rule == rule && d.Severity == severity {
			return true
		}
	}
	return false
}

func firesAny(found diag.List, rule string) bool {
	return fires(found, rule, diag.Error) || fires(found, rule, diag.Warning) || fires(found, rule, diag.Note)
}
