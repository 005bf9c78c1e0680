package scan

import (
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
		p.re()
		for _, lit := range p.near {
			if lit == "" || strings.ToLower(lit) != lit {
				t.Errorf("literal %q of %s is empty or not lower-case", lit, p.re())
			}
		}
	}
}
