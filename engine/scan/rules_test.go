package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTable checks what every rule must have, and that each pattern compiles:
// they do so lazily, and a file that needs one should not be the first to try.
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
		for _, lit := range p.near {
			if lit == "" || strings.ToLower(lit) != lit {
				t.Errorf("literal %q of %s is empty or not lower-case", lit, p.re)
			}
		}
	}
}

// TestOneFileEach: a rule's text stands in rule_<id>.go and nowhere else, and
// the table has the order of docs/checks.md.
func TestOneFileEach(t *testing.T) {
	doc, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, r := range Rules() {
		name := "rule_" + strings.ReplaceAll(r.ID, "-", "_") + ".go"
		source, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("rule %s has no file of its own: %v", r.ID, err)
		}
		if n := strings.Count(string(source), "RuleInfo{"); n != 1 {
			t.Errorf("%s holds %d rules, want 1", name, n)
		}
		at := strings.Index(string(doc), "\n### "+r.ID+"\n")
		if at < last {
			t.Errorf("%s stands elsewhere in %s than in the table", r.ID, docPath)
		}
		last = at
	}
	files, err := filepath.Glob("rule_*.go")
	if err != nil || len(files) != len(Rules()) {
		t.Errorf("%d files for %d rules (%v)", len(files), len(Rules()), err)
	}
}
