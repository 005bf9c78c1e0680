package engine_test

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli"
	"github.com/assent-dev/assent/engine/flows/notice"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/format/drafter"
	"github.com/assent-dev/assent/engine/format/plan"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/schema"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/scenario"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/home/ask"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/proposals/importer"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/proposals/scanner"
	"github.com/assent-dev/assent/engine/scan"
	"github.com/assent-dev/assent/engine/tools/acquire"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// documents returns the texts for people, by path from the repository's root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	read := func(file string) {
		text, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.ToSlash(file)] = string(text)
	}
	for _, file := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"} {
		read(file)
	}
	err := filepath.WalkDir("../docs", func(file string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".md") {
			read(strings.TrimPrefix(filepath.ToSlash(file), "../"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

var (
	// inlineCode is `code` inside a line.
	inlineCode = regexp.MustCompile("`([^`]+)`")
	// linkTarget is an inline link's target.
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// heading is a section's title.
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	// notInSlug is what GitHub leaves out of a heading's anchor.
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// commandLines finds the command lines of assent in a text: in code fences, where
// a prompt may stand before them, and in inline code.
func commandLines(text string) []string {
	var found []string
	fenced := false
	note := func(line string) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		line = strings.Replace(line, "go run ./cmd/assent", "assent", 1)
		line = strings.TrimPrefix(line, "ExecStart=/usr/local/bin/") // in a unit of systemd
		if strings.HasPrefix(line, "assent ") {
			found = append(found, line)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced {
			note(line)
			continue
		}
		for _, code := range inlineCode.FindAllStringSubmatch(line, -1) {
			note(code[1])
		}
	}
	return found
}

// TestDocumentedCommandsExist holds every command line in the documents against
// the program: the command and each flag must be there.
func TestDocumentedCommandsExist(t *testing.T) {
	commands := map[string]cli.Description{}
	for _, c := range cli.Commands() {
		commands[c.Path] = c
	}
	for file, text := range documents(t) {
		for _, line := range commandLines(text) {
			if problem := wrongCommand(commands, line); problem != "" {
				t.Errorf("%s: %q: %s", file, line, problem)
			}
		}
	}
}

// wrongCommand says what is wrong with a command line, "" if nothing is.
func wrongCommand(commands map[string]cli.Description, line string) string {
	command, quoted := commands["assent"], false
	for i, word := range strings.Fields(line) {
		switch {
		case quoted || strings.Count(word, `"`)%2 == 1:
			quoted = quoted != (strings.Count(word, `"`)%2 == 1)
		case slices.Contains([]string{"|", ">", "<", "&&", "#", ";", "→"}, word):
			return ""
		case strings.HasPrefix(word, "-") && word != "-" && word != "--":
			name, _, _ := strings.Cut(word, "=")
			if !slices.Contains(command.Flags, strings.TrimRight(name, "],")) {
				return command.Path + " has no flag " + name
			}
		case i > 0:
			if sub, ok := commands[command.Path+" "+word]; ok {
				command = sub
			} else if command.Path == "assent" && strings.ToLower(word) == word && !strings.HasPrefix(word, "…") {
				return "there is no command " + word
			}
		}
	}
	return ""
}

// TestEveryCommandIsDocumented keeps the table of commands complete.
func TestEveryCommandIsDocumented(t *testing.T) {
	table := documents(t)["docs/commands.md"]
	for _, c := range cli.Commands() {
		words := strings.Fields(c.Path)
		if len(words) != 2 || slices.Contains([]string{"help", "completion"}, words[1]) {
			continue
		}
		if !strings.Contains(table, "`"+words[1]) && !strings.Contains(table, "`assent "+words[1]) {
			t.Errorf("docs/commands.md says nothing about %q", c.Path)
		}
	}
}

// TestLinksResolve follows every link from one document to another.
func TestLinksResolve(t *testing.T) {
	docs := documents(t)
	for file, text := range docs {
		for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			at := file
			if target != "" {
				at = path.Join(path.Dir(file), target)
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(at))); err != nil {
				t.Errorf("%s links to %s, which is not there", file, m[1])
			} else if to, known := docs[at]; known && anchor != "" && !slices.Contains(anchors(to), anchor) {
				t.Errorf("%s links to %s, which has no such heading", file, m[1])
			}
		}
	}
}

// scriptPath is a script or fixture, as code names it from the repository's root.
var scriptPath = regexp.MustCompile("`([\\w./-]+/[\\w-]+\\.txtar)`")

// TestScriptsInDocumentsExist: a script that is said to run what a document shows is there.
func TestScriptsInDocumentsExist(t *testing.T) {
	found := 0
	for file, text := range documents(t) {
		for _, m := range scriptPath.FindAllStringSubmatch(text, -1) {
			found++
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s names %s, which is not there", file, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no document names a script")
	}
}

// anchors are the names that GitHub gives to a text's headings.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestArchitectureIsComplete keeps the map short, and every room on it.
func TestArchitectureIsComplete(t *testing.T) {
	text := documents(t)["ARCHITECTURE.md"]
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("ARCHITECTURE.md has %d lines, more than 150", n)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > 161 {
			t.Errorf("a row of ARCHITECTURE.md has more than 160 characters: %s", line)
		}
	}
	at := 0
	for _, r := range rooms {
		row := strings.Index(text, "| [`"+r.name+"`](engine/"+r.name+") |")
		if row < at {
			t.Errorf("ARCHITECTURE.md has no row for the room %s, or not at its place", r.name)
		}
		at = max(at, row)
	}
}

// TestVersionIsSemantic: the tag of a release is compared with this constant.
func TestVersionIsSemantic(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`).MatchString(version.Engine) {
		t.Errorf("version %q", version.Engine)
	}
}

// TestFormatsAreComplete holds docs/formats.md against the published schemas: each
// kind has a section, in which each of its fields stands.
func TestFormatsAreComplete(t *testing.T) {
	text := documents(t)["docs/formats.md"]
	for _, kind := range schema.Kinds() {
		_, section, ok := strings.Cut(text, " (`assent schema "+kind+"`)\n")
		if !ok {
			t.Errorf("docs/formats.md has no section with (`assent schema %s`)", kind)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		source, _ := schema.Get(kind)
		var s any
		if err := json.Unmarshal(source, &s); err != nil {
			t.Fatal(err)
		}
		for _, field := range fields(s) {
			if !strings.Contains(section, "`"+field+"`") {
				t.Errorf("docs/formats.md, %s: says nothing about `%s`", kind, field)
			}
		}
	}
}

// fields are the names of all properties in a JSON Schema.
func fields(s any) []string {
	found := map[string]bool{}
	var walk func(any)
	walk = func(s any) {
		switch s := s.(type) {
		case []any:
			for _, v := range s {
				walk(v)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for name, v := range properties {
				found[name] = name != "type" // of a schema inside the schema
				walk(v)
			}
			for key, v := range s {
				if key != "properties" {
					walk(v)
				}
			}
		}
	}
	walk(s)
	maps.DeleteFunc(found, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(found))
}

// TestExamplesOfFormats reads the examples of docs/formats.md.
func TestExamplesOfFormats(t *testing.T) {
	text := documents(t)["docs/formats.md"]
	example := func(info string) []byte {
		fence := "```"
		if strings.HasPrefix(info, "markdown") {
			fence = "````"
		}
		_, rest, _ := strings.Cut(text, "\n"+fence+info+"\n")
		source, _, ok := strings.Cut(rest, "\n"+fence+"\n")
		if !ok {
			t.Errorf("docs/formats.md has no example %q", info)
		}
		return []byte(source + "\n")
	}
	_, found := capability.ParseRecord("skills/data/example/capability.yaml", example("yaml capability"))
	_, more := capability.ParseSuite("skills/data/example/tests.yaml", example("yaml tests"))
	draft, yet := proposal.ParseDraft("draft.md", example("markdown draft"))
	for _, d := range slices.Concat(found, more, yet) {
		t.Errorf("an example of docs/formats.md draws %s", d)
	}
	if len(draft.Edits) != 1 || draft.Proposal.Goal == "" {
		t.Errorf("the draft has %d files and the goal %q", len(draft.Edits), draft.Proposal.Goal)
	}
}

// TestBenchmarksExist holds docs/benchmarks.md against the benchmarks, both ways.
func TestBenchmarksExist(t *testing.T) {
	text, name := documents(t)["docs/benchmarks.md"], regexp.MustCompile(`\bBenchmark[A-Z]\w*`)
	declared := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		src, err := os.ReadFile(file)
		for _, m := range regexp.MustCompile(`(?m)^func (Benchmark[A-Z]\w*)`).FindAllSubmatch(src, -1) {
			declared[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, benchmark := range name.FindAllString(text, -1) {
		shown[benchmark] = true
	}
	for benchmark := range declared {
		if !shown[benchmark] {
			t.Errorf("docs/benchmarks.md has no figure of %s", benchmark)
		}
	}
	for benchmark := range shown {
		if !declared[benchmark] {
			t.Errorf("docs/benchmarks.md shows %s, which is not there", benchmark)
		}
	}
}

// rules collects every rule id with what it refuses, except the scanner's, whose
// sections package scan tests.
func rules() map[string]string {
	all := map[string]string{}
	for _, table := range []map[string]string{
		names.Rules(), strictyaml.Rules(), markup.Rules(), soul.Rules(), capability.Rules(), policy.Rules(),
		workflow.Rules(), notice.Rules(), advice.Rules(), drafter.Rules(), plan.Rules(), folder.Rules(), proposal.Rules(), propose.Rules(), importer.Rules(), acquire.Rules(), scanner.Rules(), ask.Rules(), run.Rules(), scenario.Rules(), suite.Rules(), validate.Rules(), composed.Rules(),
	} {
		maps.Copy(all, table)
	}
	return all
}

// check is one section of docs/checks.md.
type check struct{ area, text string }

// checks reads the sections of docs/checks.md, examples included.
func checks(t *testing.T) map[string]check {
	t.Helper()
	sections := map[string]check{}
	area, id, fence := "", "", ""
	for line := range strings.Lines(documents(t)["docs/checks.md"]) {
		text := strings.TrimRight(line, "\n")
		switch {
		case fence != "" && text == fence:
			fence = ""
		case fence == "" && strings.HasPrefix(text, "```"):
			fence = text[:len(text)-len(strings.TrimLeft(text, "`"))]
		case fence == "" && strings.HasPrefix(text, "## "):
			area, id = text[3:], ""
			continue
		case fence == "" && strings.HasPrefix(text, "### "):
			id = text[4:]
			if _, twice := sections[id]; twice {
				t.Errorf("docs/checks.md has two sections %s", id)
			}
			sections[id] = check{area: area}
			continue
		}
		if id != "" {
			s := sections[id]
			s.text += line
			sections[id] = s
		}
	}
	return sections
}

// TestEveryRuleIsDocumented holds docs/checks.md against the rule tables, both ways.
func TestEveryRuleIsDocumented(t *testing.T) {
	sections, known := checks(t), rules()
	scanner := map[string]bool{}
	for _, r := range scan.Rules() {
		scanner[r.ID] = true
	}
	for id, text := range known {
		s, ok := sections[id]
		switch {
		case !ok:
			t.Errorf("docs/checks.md has no section %s", id)
		case scanner[id]: // one finding, two places that draw it
		case !regexp.MustCompile(`^\n\*\*(error|warning|note)\*\*: `).MatchString(s.text):
			t.Errorf("%s does not begin with its severity", id)
		case !strings.Contains(s.text, text):
			t.Errorf("%s does not say %q", id, text)
		case len(strings.Split(strings.TrimSpace(s.text), "\n\n")) < 2:
			t.Errorf("%s does not say what to do", id)
		}
	}
	for id := range sections {
		if _, ok := known[id]; !ok && !scanner[id] {
			t.Errorf("docs/checks.md explains %s, which is no rule", id)
		}
	}
}

// TestEveryAuditRuleIsDocumented holds docs/audit.md against the table, both ways.
func TestEveryAuditRuleIsDocumented(t *testing.T) {
	text, known := documents(t)["docs/audit.md"], audit.Rules()
	for id, what := range known {
		if !strings.Contains(text, "| `"+id+"` | "+what+" |\n") {
			t.Errorf("docs/audit.md does not say of %s: %s", id, what)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(audit-[a-z-]+)`").FindAllStringSubmatch(text, -1) {
		if _, ok := known[m[1]]; !ok {
			t.Errorf("docs/audit.md explains %s, which is no rule", m[1])
		}
	}
}

// TestNoRuleOutsideTheTables: a rule id that is written where it is used would
// escape the documentation.
func TestNoRuleOutsideTheTables(t *testing.T) {
	literal := regexp.MustCompile(`(?:\b(?:Errorf|Warnf|Notef)\(|Rule: +)"([a-z0-9]+(?:-[a-z0-9]+)+)"`)
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		src, err := os.ReadFile(file)
		for _, m := range literal.FindAllSubmatch(src, -1) {
			t.Errorf("engine/%s: rule %q stands outside its package's table", filepath.ToSlash(file), m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExamplesOfChecks runs what docs/checks.md shows: paths that are refused, and
// capability records.
func TestExamplesOfChecks(t *testing.T) {
	record := regexp.MustCompile("(?s)```bad capability.yaml\n(.*?)```")
	tried := 0
	for id, s := range checks(t) {
		if _, list, ok := strings.Cut(s.text, "Refused: "); ok {
			for _, m := range inlineCode.FindAllStringSubmatch(list, -1) {
				tried++
				if found := names.CheckPath(m[1]); !slices.ContainsFunc(found, hasRule(id)) {
					t.Errorf("%s: path %q draws %v", id, m[1], found)
				}
			}
		}
		for _, m := range record.FindAllStringSubmatch(s.text, -1) {
			tried++
			if _, found := capability.ParseRecord("skills/example/capability.yaml", []byte(m[1])); !slices.ContainsFunc(found, hasRule(id)) {
				t.Errorf("%s: the record draws %v:\n%s", id, found, m[1])
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d examples were found", tried)
	}
}

func hasRule(id string) func(diag.Diagnostic) bool {
	return func(d diag.Diagnostic) bool { return d.Rule == id }
}
