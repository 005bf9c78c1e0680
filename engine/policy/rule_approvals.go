package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/review"
)

func judgeApprovals(c inquiry) Verdict {
	required := c.requirements()
	if len(required) == 0 {
		return allowed("nobody needs to approve: risk %s, mode %s", c.risk.Tier, c.mode())
	}
	var parts []Verdict
	for _, n := range required {
		parts = append(parts, c.approval(n))
	}
	v := combine("approvals", parts)
	if len(c.opinions.ignored) > 0 {
		v.Reason += "; " + strings.Join(c.opinions.ignored, "; ")
	}
	return v
}

// approval judges one requirement.
func (c inquiry) approval(n need) Verdict {
	count, notes := c.threshold(n)
	var have, could []string
	for _, id := range c.p.Roles.All() {
		entitled, note := c.mayApprove(id, n.Role)
		op, spoke := c.opinions.latest[id.Name]
		switch {
		case !entitled:
		case spoke && op.Decision == review.Approve:
			have = append(have, id.Name)
			if note != "" {
				notes = append(notes, note)
			}
		default:
			could = append(could, id.Name)
		}
	}
	v := Verdict{Rule: "approval-" + n.Role, Changes: []string{OnReview, OnPush, OnPolicy}}
	if len(have) >= count {
		v.Outcome, v.Changes = Allowed, nil
		v.Reason = strings.Join(append([]string{"approved by " + strings.Join(have, ", ")}, notes...), "; ")
		return v
	}
	v.Outcome = Waiting
	v.WaitingFor = []Wait{{Role: n.Role, Need: count, Have: len(have), Who: could}}
	v.Reason = fmt.Sprintf("needs %d approval(s) by %s, has %d: %s", count, n.Role, len(have), strings.Join(n.why, "; "))
	if len(have)+len(could) < count {
		notes = append(notes, c.nobody(n.Role))
	}
	if len(notes) > 0 {
		v.Reason += "; " + strings.Join(notes, "; ")
	}
	return v
}

// mayApprove reports whether an approval by id would count for role, and what
// must be recorded about it.
func (c inquiry) mayApprove(id Identity, role string) (bool, string) {
	if !c.p.Roles.Satisfies(id, role) || id.expired(c.f.Now) {
		return false, ""
	}
	ex, excluded := c.excluded[id.Name]
	switch {
	case !excluded:
		return true, ""
	case c.soleHuman(id):
		return true, id.Name + " is the only human and signs their own work (" + ex.why + ")"
	default:
		return false, ""
	}
}

// soleHuman reports whether id is the only human that there is.
func (c inquiry) soleHuman(id Identity) bool {
	humans := c.humans()
	return len(humans) == 1 && humans[0] == id.Name
}

// humans returns the people whose approvals count today.
func (c inquiry) humans() []string {
	return slices.DeleteFunc(c.p.Roles.Humans(), func(name string) bool {
		id, _ := c.p.Roles.ByName(name)
		return id.expired(c.f.Now)
	})
}

// threshold caps the number of humans that are needed at the number that there
// are. People who provably took part stand behind the change already, so they
// are taken off the cap; a forged author address takes nobody off. It never
// falls below one.
func (c inquiry) threshold(n need) (int, []string) {
	if n.Role != Human {
		return n.Count, nil
	}
	available := 0
	for _, name := range c.humans() {
		if !c.excluded[name].proven {
			available++
		}
	}
	available = max(available, 1)
	if n.Count <= available {
		return n.Count, nil
	}
	return available, []string{fmt.Sprintf("%d humans would be needed; only %d can be asked", n.Count, available)}
}

// nobody says why a requirement cannot be met.
func (c inquiry) nobody(role string) string {
	var took []string
	for _, id := range c.p.Roles.All() {
		if ex, excluded := c.excluded[id.Name]; excluded && c.p.Roles.Satisfies(id, role) {
			took = append(took, id.Name+" "+ex.why)
		}
	}
	text := "too few identities in " + RolesFile + " can give it"
	if len(took) > 0 {
		text += " (" + strings.Join(took, ", ") + ")"
	}
	return text
}
