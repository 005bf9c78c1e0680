package policy_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// An unknown number is not an invalid file: the format of a newer file is read and its other
// fields give no diagnostic.
func TestFormat(t *testing.T) {
	for name, c := range map[string]struct {
		text string // none: no file
		want int
		bad  bool
	}{
		"none":                {"", policy.Unnumbered, false},
		"newest":              {"format: 1\n", policy.NewestFormat, false},
		"newer":               {"format: 2\n", 2, false},
		"newer, and more":     {"format: 7\nshards: {of: 16}\n", 7, false},
		"broken":              {"format: 1\nshards: 16\n", policy.Unnumbered, true},
		"no number":           {"format: new\n", policy.Unnumbered, true},
		"lowered below first": {"format: -1\n", policy.Unnumbered, true},
		"too long a number":   {"format: 99999999999999999999\n", policy.Unnumbered, true},
	} {
		files := defaults(t)
		if files[policy.WorkspaceFile] = c.text; c.text == "" {
			delete(files, policy.WorkspaceFile)
		}
		p, ds := policy.Load(tree.MapOf(files))
		if p.Format != c.want || ds.HasErrors() != c.bad || !c.bad && len(ds) > 0 {
			t.Errorf("%s: format %d, %v; want %d", name, p.Format, ds, c.want)
		}
	}
}
