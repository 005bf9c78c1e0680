package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// TestBranchTellsEachSecret checks that a secret which a commit added and a later one removed
// is reported, even if another secret is waived or looks the same in excerpts.
func TestBranchTellsEachSecret(t *testing.T) {
	const file = "skills/echo/SKILL.md"
	token := func(end string) string { return "ghp_" + "R4ndAbCqWxYz9876LmNoPqRsTuVw5432" + end }
	text := func(more string) []byte {
		return []byte("---\nname: echo\ndescription: Says again what was said. Use when somebody asks to repeat.\n---\n\nRepeat it. " + more + "\n")
	}
	one, two := text(token("GhJk")), text(token("ZbQe"))
	for name, c := range map[string]struct {
		head    []byte
		commits [][]byte
		waived  []byte
		errors  int
	}{
		"taken away":                     {text(""), [][]byte{one, text("")}, nil, 1},
		"two that look alike":            {text(""), [][]byte{one, two, text("")}, nil, 2},
		"one of them waived at the head": {one, [][]byte{two, one}, one, 1},
		"the same waived at the head":    {one, [][]byte{append(text(""), one...), one}, one, 0},
		"waived in the commit":           {text(""), [][]byte{one, append(text(""), one...), text("")}, one, 0},
		"still at the head":              {one, [][]byte{one}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			head := tree.NewMap(tree.Edit{Path: file, Content: c.head})
			var brought []validate.Brought
			blobs := map[tree.Hash][]byte{}
			var old tree.Entry
			for i, content := range c.commits {
				now := tree.Entry{Path: file, Mode: tree.Regular, Hash: tree.BlobHash(content)}
				blobs[now.Hash] = content
				brought = append(brought, validate.Brought{Commit: tree.Hash{byte(i + 1)}, Change: tree.Change{Path: file, Old: old, New: now},
					Read: func(h tree.Hash) ([]byte, error) { return blobs[h], nil }})
				old = now
			}
			policies, _ := policy.Load(withDefaults(t, tree.NewMap()))
			if c.waived != nil {
				policies.Security.Waivers = []policy.Waiver{{Rule: "secret", Blob: tree.BlobHash(c.waived).String(), Reason: "made up", Expires: time.Now().AddDate(1, 0, 0)}}
			}
			out, err := validate.Run(validate.Input{Base: tree.NewMap(), Head: head, Policies: policies, Branch: func() ([]validate.Brought, error) { return brought, nil }})
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for _, d := range out.Report.Diagnostics {
				if d.Rule == "secret" && d.Severity == diag.Error {
					got++
				}
			}
			if got != c.errors {
				var all strings.Builder
				for _, d := range out.Report.Diagnostics {
					all.WriteString(d.String() + "\n")
				}
				t.Errorf("%d secrets reported, want %d:\n%s", got, c.errors, all.String())
			}
		})
	}
}
