package scan

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTable checks that every rule is complete, and that each pattern compiles.
// Patterns compile lazily, and a file that needs one should not be the first to try.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.ID == "" || strings.ToLower(r.ID) != r.ID || seen[r.ID] {
			t.Errorf("rule id %q is empty, not lower-case or not unique", r.ID)
		}
		seen[r.ID] = true
		if r.Summary == "" || r.Why == "" || r.Fix == "" || r.Layer == "" {
			t.Errorf("rule %s lacks a text", r.ID)
		}
		if strings.HasSuffix(r.Summary, ".") || !strings.HasSuffix(r.Why, ".") || !strings.HasSuffix(r.Fix, ".") {
			t.Errorf("rule %s: only why and fix end with a full stop", r.ID)
		}
	}
	for _, p := range engine().flat {
		p.re.compile()
		if p.in == 0 || p.re.source == "" || len(p.near) == 0 || strings.Contains(p.re.source, "{{") {
			t.Errorf("pattern %q lacks a part", p.re)
		}
		for _, lit := range p.near {
			if lit == "" || strings.ToLower(lit) != lit {
				t.Errorf("literal %q of %s is empty or not lower-case", lit, p.re)
			}
		}
	}
	for _, r := range rules().deltas() {
		if r.list == nil && r.ID != ruleLostSafeguard {
			t.Errorf("rule %s lists nothing", r.ID)
		}
	}
	if wrong := rules().diags; len(wrong) > 0 {
		t.Errorf("the files below rules: %v", wrong)
	}
}

// TestFilesAreRead: examples are left out of a scan, nothing else is.
func TestFilesAreRead(t *testing.T) {
	all := load(true)
	if len(all.diags) > 0 {
		t.Fatal(all.diags)
	}
	for i, f := range all.files {
		for k := range f.Rules {
			full, short := &f.Rules[k], &rules().files[i].Rules[k]
			if len(full.Bad) == 0 || len(full.Good) == 0 || len(short.Bad)+len(short.Good) > 0 {
				t.Errorf("rule %s has %d bad and %d good examples", full.ID, len(full.Bad), len(full.Good))
			}
			if full.info(f.Layer) != short.info(f.Layer) || len(full.Patterns) != len(short.Patterns) {
				t.Errorf("rule %s is another one without its examples", full.ID)
			}
		}
	}
}

// TestNamed: each function and list is named by a rule, so that none is left over.
func TestNamed(t *testing.T) {
	var text strings.Builder
	entries, err := files.ReadDir("rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := files.ReadFile("rules/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	used := strings.FieldsFunc(text.String(), func(r rune) bool { return strings.ContainsRune(" \n[],{}", r) })
	slices.Sort(used)
	named := functions()
	for _, names := range [][]string{keys(named.judges), keys(named.checks), keys(named.items), keys(named.lists), keys(rules().shared.Fragments), keys(rules().shared.Lists)} {
		for _, name := range names {
			if _, ok := slices.BinarySearch(used, name); !ok && !slices.Contains([]string{"judgeRemark", "tunnels", "installers", "public-data"}, name) {
				t.Errorf("no rule names %s", name)
			}
		}
	}
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// TestUnknownNames: a rule that names something unknown is reported, and blocks.
func TestUnknownNames(t *testing.T) {
	for _, r := range []ruleData{
		{ID: "a", Check: "nothing"},
		{ID: "b", Patterns: []patternData{{Judge: "nothing"}}},
		{ID: "c", Patterns: []patternData{{In: "nowhere"}}},
		{ID: "d", Patterns: []patternData{{Lists: []string{"nothing"}}}},
		{ID: "e", Patterns: []patternData{{Regexp: "{{nothing}}"}}},
	} {
		s := &dataset{}
		s.rule(&r, Code)
		if !s.diags.HasErrors() {
			t.Errorf("rule %s is taken for right", r.ID)
		}
	}
}

// TestOrder: the rules have the order of docs/checks.md.
func TestOrder(t *testing.T) {
	doc, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, r := range Rules() {
		at := strings.Index(string(doc), "\n### "+r.ID+"\n")
		if at < last {
			t.Errorf("%s stands elsewhere in %s than in the files of rules", r.ID, docPath)
		}
		last = at
	}
}
