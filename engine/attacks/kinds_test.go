package attacks_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

func kindDefences() map[string]defence {
	return map[string]defence{
		"no-kind-hides-another": {attack: "TestAttackHiddenKinds/archive"},
		"what-stays-is-revised": {attack: "TestAttackHiddenKinds/revise, with a promotion"},
	}
}

// TestAttackHiddenKinds: the proposer chooses what a change contains beside what a check is for, and what it declares.
// The check applies nevertheless, also if its condition is an expression.
func TestAttackHiddenKinds(t *testing.T) {
	capability := func(name string, op policy.Op, was, is string) policy.Changes {
		return policy.Changes{
			Capabilities: []policy.Capability{{Name: name, Path: "skills/" + name, Kind: "skill", Op: op, WasStatus: was, Status: is}},
			Paths:        []policy.PathChange{{Path: "skills/" + name + "/SKILL.md", Op: op}},
		}
	}
	file := func(path string) policy.Changes {
		return policy.Changes{Paths: []policy.PathChange{{Path: path, Op: policy.Modified}}}
	}
	beside := []policy.Changes{
		{}, capability("rope", policy.Added, "", "active"), capability("rope", policy.Modified, "deprecated", "active"), file("soul/kublai/notes.md"),
	}
	for name, hidden := range map[string]struct {
		kind   string
		change policy.Changes
	}{
		"add":                      {"add", capability("knot", policy.Added, "", "active")},
		"revise":                   {"revise", capability("knot", policy.Modified, "active", "active")},
		"revise, with a promotion": {"revise", capability("knot", policy.Modified, "testing", "active")},
		"revise, of a list":        {"revise", file("skills/README.md")},
		"archive":                  {"archive", capability("knot", policy.Removed, "active", "active")},
		"deprecate":                {"deprecate", capability("knot", policy.Modified, "active", "deprecated")},
		"promote":                  {"promote", capability("knot", policy.Modified, "testing", "active")},
		"soul":                     {"soul", file("soul/mongke/notes.md")},
		"policy":                   {"policy", file("policies/limits.yaml")},
		"workflow":                 {"workflow", file("workflows/gc.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			d := &world{T: t}
			for _, when := range []string{"{kinds: [" + hidden.kind + "]}", `'kind == "` + hidden.kind + `"'`} {
				p, _ := policy.Load(tree.MapOf(map[string]string{
					policy.ApprovalsFile: "tiers: {low: [], medium: [], high: [], critical: [{role: human, count: 1}]}\nchecks:\n  - {name: look, workflow: look, when: " + when + "}\n",
				}))
				if len(p.Approvals.Checks) != 1 {
					t.Fatalf("%s is not read", when)
				}
				for _, declared := range policy.Kinds() {
					for i, other := range beside {
						if i == 0 && (hidden.kind == "policy" || hidden.kind == "workflow") {
							continue // rules alone are for people to judge
						}
						f := policy.Facts{ID: "knot-k3v9q2mt", Agent: "kublai", State: policy.Open, Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
						f.Kind, f.Claimed = declared, declared
						f.Capabilities = slices.Concat(other.Capabilities, hidden.change.Capabilities)
						f.Paths = slices.Concat(other.Paths, hidden.change.Paths)
						if len(policy.Checks(p, f)) != 1 {
							d.succeeds("%s: declared as %s beside %+v, no check applies", when, declared, other)
						}
					}
				}
			}
		})
	}
}
