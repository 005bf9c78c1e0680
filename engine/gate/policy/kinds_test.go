package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

// TestNoKindHidesAnother: a rule for some kinds holds whatever has one of them, whatever the proposal declares and
// whatever else it changes, also where the rule is an expression; so do modes.
func TestNoKindHidesAnother(t *testing.T) {
	file := func(path string) policy.PathChange { return policy.PathChange{Path: path, Op: policy.Modified} }
	knot := func(op policy.Op, was, is string) policy.Capability {
		return policy.Capability{Name: "knot", Path: "skills/knot", Kind: "skill", Op: op, WasStatus: was, Status: is}
	}
	other := func(op policy.Op, was, is string) policy.Capability {
		return policy.Capability{Name: "rope", Path: "skills/rope", Kind: "skill", Op: op, WasStatus: was, Status: is}
	}
	revised, added := knot(policy.Modified, "active", "active"), knot(policy.Added, "", "active")
	for name, tt := range map[string]struct {
		kind, declared string
		caps           []policy.Capability
		paths          []policy.PathChange
		want           string // the kinds that hold it, sorted as in Kinds
	}{
		"an addition":               {"add", "add", []policy.Capability{added}, nil, "add"},
		"a revision":                {"revise", "revise", []policy.Capability{revised}, nil, "revise"},
		"declared a repair":         {"repair", "repair", []policy.Capability{revised}, nil, "repair revise"},
		"declared to restore":       {"restore", "restore", []policy.Capability{revised}, nil, "revise restore"},
		"restores what was removed": {"restore", "restore", []policy.Capability{added}, nil, "add restore"},
		"declared to undo":          {"undo", "undo", []policy.Capability{knot(policy.Removed, "active", "active")}, nil, "archive undo"},
		"declared an addition":      {"revise", "add", []policy.Capability{revised}, nil, "add revise"},
		"deprecates and adds":       {"deprecate", "add", []policy.Capability{added, other(policy.Modified, "active", "deprecated")}, nil, "add revise deprecate"},
		"removes and adds":          {"archive", "add", []policy.Capability{added, other(policy.Removed, "active", "active")}, nil, "add archive"},
		"adds, promotes an other":   {"add", "add", []policy.Capability{added, other(policy.Modified, "testing", "active")}, nil, "add revise promote"},
		"promotes and revises":      {"promote", "promote", []policy.Capability{knot(policy.Modified, "testing", "active")}, nil, "revise promote"},
		"a policy and an addition":  {"policy", "policy", []policy.Capability{added}, []policy.PathChange{file("policies/limits.yaml")}, "add policy"},
		"a policy and a workflow":   {"policy", "policy", nil, []policy.PathChange{file("policies/limits.yaml"), file("workflows/a.yaml"), file("skills/README.md")}, "revise policy workflow"},
		"a soul's file":             {"soul", "soul", nil, []policy.PathChange{file("soul/kublai/notes.md"), file("soul/kublai/SOUL.md")}, "soul"},
	} {
		t.Run(name, func(t *testing.T) {
			var lists, texts, modes []string
			for _, kind := range policy.Kinds() {
				held := func(when string) bool {
					p, f := withChecks(t, "  - {name: c, workflow: w, when: "+when+"}\n")
					f.Kind, f.Claimed, f.Capabilities, f.Paths = tt.kind, tt.declared, tt.caps, append(f.Paths[1:], tt.paths...)
					for _, c := range tt.caps {
						f.Paths = append(f.Paths, policy.PathChange{Path: c.Path + "/SKILL.md", Op: c.Op})
					}
					p.Autonomy = policy.Autonomy{Default: policy.Autonomous, Kinds: map[string]policy.Mode{kind: policy.Manual}}
					if policy.ModeOf(p, f, policy.Risk{Tier: policy.Low}) == policy.Manual && !slices.Contains(modes, kind) {
						modes = append(modes, kind)
					}
					f.Undated = true // the claim of an older version excuses no check
					checks, left := policy.Checks(p, f), policy.Inapplicable(p, f)
					if len(checks)+len(left) != 1 {
						t.Errorf("%s: %d checks apply, %d do not", when, len(checks), len(left))
					}
					return len(checks) > 0
				}
				if held("{kinds: [" + kind + "]}") {
					lists = append(lists, kind)
				}
				if held(`'kind == "` + kind + `"'`) {
					texts = append(texts, kind)
				}
			}
			for what, got := range map[string][]string{"kinds": lists, "kind ==": texts, "mode": modes} {
				if strings.Join(got, " ") != tt.want {
					t.Errorf("by %s it is held by %s, want %s", what, got, tt.want)
				}
			}
		})
	}
}

// TestUnlistedKindsLoosenNothing: a mode that is looser for one kind does not loosen it for another.
func TestUnlistedKindsLoosenNothing(t *testing.T) {
	p, f := withChecks(t, "  - {name: c, workflow: w}\n")
	p.Autonomy = policy.Autonomy{Default: policy.Assisted, Kinds: map[string]policy.Mode{"archive": policy.Autonomous, "repair": policy.Autonomous}}
	mode := func() policy.Mode { return policy.ModeOf(p, f, policy.Risk{Tier: policy.Low}) }
	gone := policy.Capability{Name: "rope", Path: "skills/rope", Kind: "skill", Op: policy.Removed}
	f.Kind, f.Capabilities = "archive", append(f.Capabilities, gone)
	if got := mode(); got != policy.Assisted {
		t.Errorf("what archives and adds has mode %s", got)
	}
	f.Undated = true
	if got := mode(); got != policy.Autonomous {
		t.Errorf("as an older version judged it, it has mode %s", got)
	}
	f.Undated, f.Paths, f.Capabilities = false, []policy.PathChange{{Path: "skills/rope/SKILL.md", Op: policy.Removed}}, []policy.Capability{gone}
	if got := mode(); got != policy.Autonomous {
		t.Errorf("what archives alone has mode %s", got)
	}
	gone.Op = policy.Modified
	f.Kind, f.Capabilities = "repair", []policy.Capability{gone}
	if got := mode(); got != policy.Autonomous {
		t.Errorf("a repair has mode %s", got)
	}
}
