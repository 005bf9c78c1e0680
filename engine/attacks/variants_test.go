package attacks_test

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
)

func variantDefences() map[string]defence {
	return map[string]defence{
		"narrowing-is-high":   {attack: "TestAttackVariants/narrowed"},
		"standing-in-is-high": {attack: "TestAttackVariants/replaced"},
	}
}

// TestAttackVariants: an agent takes a skill away from the missions of some models, or has another one linked in its place, by
// a record that changes no text of the skill. Rules about the skill's files apply, and a human decides.
func TestAttackVariants(t *testing.T) {
	var models []string
	for c := 'a'; c <= 'z'; c++ {
		models = append(models, fmt.Sprintf("[%c*]", c), fmt.Sprintf("[%c-1, '%c:2*']", c, c))
	}
	guarded := []policy.Check{{Name: "rope", Workflow: "rope", When: policy.When{Touches: []string{"skills/bowline/SKILL.md"}}}}
	try := func(name string, of func(models string) []tree.Edit) {
		attack(t, name, func(d *world) {
			for _, m := range models {
				r := d.request("kublai", of(m)...)
				r.DryRun = true
				out := d.asked(r)
				if !out.Examined.Report.Passed {
					d.Fatalf("%s is not fit: %v", m, out.Examined.Report.Diagnostics)
				}
				if tier := out.Examined.Risk.Tier; tier < policy.High {
					d.succeeds("the models %s: the risk is %s", m, tier)
				}
				p := out.Examined.Case.Policies
				p.Approvals.Checks = guarded
				if name == "replaced" && len(policy.Checks(p, out.Examined.Case.Facts())) != 1 {
					d.succeeds("the models %s: a rule about the skill's files does not apply", m)
				}
			}
		})
	}
	try("narrowed", func(models string) []tree.Edit {
		return []tree.Edit{file("skills/bowline/capability.yaml", "kind: skill\nversion: 1.0.1\nmodels: "+models+"\n")}
	})
	try("replaced", func(models string) []tree.Edit {
		return []tree.Edit{
			file("skills/slip/SKILL.md", "---\nname: slip\ndescription: Says what to do with a free end. Use when one is left.\n---\n\n# Slip\n\nLet it hang.\n"),
			file("skills/slip/capability.yaml", "kind: skill\nversion: 1.0.0\nimplements: bowline\nmodels: "+models+"\n"),
		}
	})
}
