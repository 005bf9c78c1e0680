package policy

// MayApprove reports whether a decision by id is one that the gate looks at, for a
// proposal with these facts: id holds a role that approves, and took no part in
// writing the change. note says why not, or under which reservation.
func MayApprove(p Policies, f Facts, id Identity) (may bool, note string) {
	c := inquiry{p: p, f: f, excluded: exclude(p.Roles, f)}
	for _, role := range []string{Human, Lead} {
		if entitled, note := c.mayApprove(id, role); entitled || note != "" {
			return entitled, note
		}
	}
	return false, id.Name + " holds no role that approves; the review is recorded as an opinion"
}
