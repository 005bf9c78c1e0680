package attacks_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/gate/policy"
)

func asAnotherDefences() map[string]defence {
	const attack = "TestAttackAsAnother/with the name in a draft"
	return map[string]defence{
		"agents-propose-as-themselves": {attack: attack, with: []string{"modes-follow-who-proposed"}},
		"modes-follow-who-proposed":    {attack: attack, with: []string{"agents-propose-as-themselves"}},
	}
}

// An agent that needs a human for everything proposes in the name of one that does not.
func TestAttackAsAnother(t *testing.T) {
	attack(t, "with the name in a draft", func(d *world) {
		d.merged(file("policies/autonomy.yaml", "default: assisted\nagents: {mongke: manual}\n"))
		r := d.request("mongke", skill("clove-hitch"))
		r.Proposal.Agent = "kublai"
		out := d.asked(r)
		if out.Diagnostics.HasErrors() {
			return
		}
		cur, ex := d.examined(out.Pull.ID)
		facts := ex.Case.Facts()
		if mode := policy.ModeOf(cur.Policies, facts, ex.Risk); mode != policy.Manual {
			d.succeeds("it is judged as %s", mode)
		}
	})
}
