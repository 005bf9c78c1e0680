package policy

import (
	"time"

	"github.com/assent-dev/assent/engine/diag"
)

// LockedOut warns of what nobody could approve any more under these policies on the
// given day, in UTC: there is no way back from policies that ask of their own change
// what nobody can give. The human role is asked for no more approvals than it has
// holders, so that of it only an empty one is told.
func (p Policies) LockedOut(today time.Time) diag.List {
	var ds diag.List
	held := map[string]int{}
	for _, id := range p.Roles.All() {
		if len(id.Keys)+len(id.Logins) == 0 || id.Expired(today) {
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
