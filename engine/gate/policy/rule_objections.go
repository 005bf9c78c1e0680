package policy

import (
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/format/review"
)

// judgeObjections lets anyone who may approve stop a proposal, people also if they took part
// in it.
func judgeObjections(c inquiry) Verdict {
	var parts []Verdict
	for _, name := range slices.Sorted(maps.Keys(c.opinions.latest)) {
		op := c.opinions.latest[name]
		if op.Decision == review.Approve || !c.mayObject(op.id) {
			continue
		}
		if op.Decision == review.Reject {
			v := refused([]string{OnReview, OnPush}, "%s rejected it: %s", name, op.Reason)
			v.Rule = "rejected"
			parts = append(parts, v)
			continue
		}
		v := c.waitForProposer([]string{OnReview, OnPush}, "%s asked for changes: %s", name, op.Reason)
		v.Rule = RuleChangesRequested
		parts = append(parts, v)
	}
	if len(parts) == 0 {
		return allowed("nobody objects")
	}
	return combine("objections", parts)
}

//defence:objections-count
func (c inquiry) mayObject(id Identity) bool {
	if c.p.Roles.Satisfies(id, Human) {
		return true
	}
	if _, excluded := c.excluded[id.Name]; excluded {
		return false
	}
	return c.p.Roles.Satisfies(id, Lead) || slices.ContainsFunc(c.requirements(), func(n need) bool {
		return c.p.Roles.Satisfies(id, n.Role)
	})
}
