package policy

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/format/review"
)

// MayApprove reports whether a decision by id is one that the gate looks at, for a
// proposal with these facts: id holds a role that approves, and took no part in
// writing the change. note says why not, or under which reservation.
func MayApprove(p Policies, f Facts, id Identity) (may bool, note string) {
	return newElectorate(p, f).mayDecide(id)
}

// SignedToo says what an approval does by a person who took part, and who may not approve: fewer humans are needed.
// It is empty if that is not so.
func SignedToo(p Policies, f Facts, id Identity) string {
	c := inquiry{p: p, f: f, risk: DeriveRisk(p, f), electorate: newElectorate(p, f)}
	for _, n := range c.requirements() {
		if n.Role == Human {
			c.opinions.latest = maps.Clone(c.opinions.latest)
			c.opinions.latest[id.Name] = opinion{Review{Decision: review.Approve}, id}
			if count, _ := c.threshold(n); count < n.Count && slices.Contains(c.humans(), id.Name) && c.standsBehind(id.Name) {
				return c.signedToo(id.Name)
			}
		}
	}
	return ""
}

func (c electorate) mayDecide(id Identity) (may bool, note string) {
	for _, role := range []string{Human, Lead} {
		if entitled, note := c.mayApprove(id, role); entitled || note != "" {
			return entitled, note
		}
	}
	return false, id.Name + " holds no role that approves; the review is recorded as an opinion"
}

// Approvers returns the names of those whose approval of this content counts, sorted: a key or
// an account proves their identity, they may approve, and they have not withdrawn it.
func Approvers(p Policies, f Facts) []string {
	c := newElectorate(p, f)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.opinions.latest)) {
		op := c.opinions.latest[name]
		if may, _ := c.mayDecide(op.id); may && op.Decision == review.Approve {
			out = append(out, name)
		}
	}
	return out
}
