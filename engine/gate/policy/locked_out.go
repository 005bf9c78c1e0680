package policy

import (
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
)

// LockedOut warns of changes that no one could approve under these policies on the given
// day, in UTC. Policies that lock out their own change cannot be repaired. The human role
// never needs more approvals than it has holders, but a holder without key and account
// cannot approve.
func (p Policies) LockedOut(today time.Time) diag.List {
	var ds diag.List
	held := map[string]int{}
	var mute []string
	for _, id := range p.Roles.All() {
		if !id.CanApprove() && len(id.Revoked) == 0 && !id.Expired(today) && p.Roles.Satisfies(id, Human) {
			mute = append(mute, id.Name)
		}
		if !id.CanApprove() || id.Expired(today) {
			continue // nothing that they sign counts
		}
		for _, role := range KnownRoles() {
			if p.Roles.Satisfies(id, role) {
				held[role]++
			}
		}
	}
	if len(p.Roles.Humans()) > 0 && held[Human] == 0 {
		ds.Warnf(RuleNoHuman, diag.Pos{File: RolesFile}, "leave at least one of them a key, and an until that is not past",
			"everybody who holds the human role has neither key nor account, or an until that is past: what needs a human can never be approved")
	} else {
		for _, name := range mute {
			ds.Warnf(RuleNoKey, diag.Pos{File: RolesFile}, "give them a key or an account in the same proposal, or take them out of the human role",
				"%s holds the human role and has neither key nor account: what needs all humans waits for an approval that they cannot give", name)
		}
	}
	check := func(pos diag.Pos, what string, needs []Requirement) {
		for _, q := range needs {
			if q.Role != Human && held[q.Role] < q.Count {
				ds.Warnf(RuleTooFew, pos, "ask for fewer, or give the role to more in "+RolesFile,
					"%s asks for %d of %s, and %d can approve as that: what it applies to can never be approved",
					what, q.Count, q.Role, held[q.Role])
			}
		}
	}
	for _, tier := range []Tier{Low, Medium, High, Critical} {
		check(p.Approvals.Pos[tier], "the tier "+tier.String(), p.Approvals.Tiers[tier])
	}
	for _, e := range p.Approvals.Extra {
		check(e.Pos, "the extra rule "+e.Name, e.Needs)
	}
	return ds
}
