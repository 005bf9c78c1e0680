package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/review"
)

func judgeApprovals(c inquiry) Verdict {
	required := c.requirements()
	if len(required) == 0 {
		mode, by := modeOf(c.p, c.f, c.risk)
		return allowed("nobody needs to approve: risk %s, mode %s%s", c.risk.Tier, mode, by)
	}
	var parts []Verdict
	ignored := c.opinions.remarks() // reported once, with the first missing approval
	for _, n := range required {
		part := c.approval(n)
		if part.Outcome == Waiting {
			part.Reason, ignored = sentence(part.Reason, ignored), nil
		}
		parts = append(parts, part)
	}
	return combine("approvals", parts)
}

// approval judges one requirement.
func (c inquiry) approval(n need) Verdict {
	count, notes := c.threshold(n)
	have, could, remarks := c.approvers(n.Role, count < n.Count)
	v := Verdict{Rule: "approval-" + n.Role, Changes: []string{OnReview, OnPush, OnPolicy}}
	if len(have) >= count {
		v.Outcome, v.Changes = Allowed, nil
		v.Reason = sentence("approved by "+strings.Join(have, ", "), notes, remarks)
		return v
	}
	v.Outcome = Waiting
	wait := Wait{Role: n.Role, Need: count, Have: len(have), Who: could}
	what := needed(count, n.Role)
	if len(have) > 0 {
		what += fmt.Sprintf(", has %d", len(have))
	}
	what += " (" + strings.Join(n.why, "; ") + ")"
	if len(have)+len(could) < count {
		part := c.couldStandBehind(n.Role)
		if len(have)+len(could) >= max(1, count-len(part)) {
			wait.Part = part
		}
		what = sentence(what, []string{c.shortage(n.Role, could)})
		if missing := count - len(have) - len(could); len(wait.Part) > 0 {
			what += "; if " + someOf(missing, wait.Part) + fmt.Sprintf(" too, %d is enough", count-missing)
		}
	} else {
		what += "; ask " + alternatives(could)
	}
	v.WaitingFor = []Wait{wait}
	v.Reason = sentence(what, notes, remarks)
	return v
}

// needed is "needs 1 approval by a lead" or "needs 2 approvals by humans".
func needed(count int, role string) string {
	switch {
	case role != Human && role != Lead:
		return "needs " + counted(count, "approval") + " by role " + role
	case count == 1:
		return "needs 1 approval by a " + role
	}
	return fmt.Sprintf("needs %d approvals by %ss", count, role)
}

// someOf says that as many of the people sign: "ann or bob signs", "2 of ann, bob, cleo sign".
func someOf(count int, people []string) string {
	if count == 1 {
		return alternatives(people) + " signs"
	}
	return fmt.Sprintf("%d of %s sign", count, strings.Join(people, ", "))
}

// alternatives are names as in "ann, bob or cleo".
func alternatives(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func sentence(what string, more ...[]string) string {
	return strings.Join(append([]string{what}, slices.Concat(more...)...), "; ")
}

// approvers returns those who have approved for a role, those who else could, and remarks
// about the former. lowered is set if fewer humans are required because others stand behind
// the change.
func (c electorate) approvers(role string, lowered bool) (have, could, remarks []string) {
	for _, id := range c.roles.All() {
		op, spoke := c.opinions.latest[id.Name]
		approved := spoke && op.Decision == review.Approve || c.vouchers[id.Name]
		entitled, note := c.mayApprove(id, role)
		switch {
		case entitled && approved:
			have = append(have, id.Name)
		case entitled && !id.CanApprove():
			remarks = append(remarks, id.Name+" has neither key nor account in "+RolesFile+", so that nothing proves an approval of theirs")
			continue
		case entitled:
			could = append(could, id.Name)
			continue
		case !approved:
			continue
		}
		if _, took := c.excluded[id.Name]; took && lowered && !entitled && role == Human && c.standsBehind(id.Name) {
			note = c.signedToo(id.Name)
		}
		if note != "" {
			remarks = append(remarks, note)
		}
	}
	return have, could, remarks
}

// signedToo says what the signature of a person who took part does.
func (c electorate) signedToo(name string) string {
	return name + " signed as well, so that one human fewer is needed: " + name + " " + c.excluded[name].why
}

// mayApprove reports whether an approval by id would count for role, and returns a remark to
// record about it.
func (c electorate) mayApprove(id Identity, role string) (bool, string) {
	//defence:reviewer-holds-role
	if !c.roles.Satisfies(id, role) {
		return false, ""
	}
	//defence:reviewer-not-expired
	if id.Expired(c.now) {
		return false, ""
	}
	if c.approved.After(c.now) && id.Expired(c.approved) {
		return false, ""
	}
	ex, excluded := c.excluded[id.Name]
	switch {
	case !excluded:
		return true, ""
	case ex.through != "" && c.soleHuman(Identity{Name: ex.through}):
		return true, "" // where there is one human, every agent is theirs
	case c.soleHuman(id):
		return true, id.Name + " is the only human and signs their own work (" + ex.why + ")"
	case ex.through != "":
		return false, "the approval by " + id.Name + " does not count: " + id.Name + " " + ex.why
	default:
		return false, "the approval by " + id.Name + " does not count: " + id.Name + " " + ex.why + " and cannot approve it"
	}
}

// soleHuman reports whether id is the only human in roles.yaml.
func (c electorate) soleHuman(id Identity) bool {
	humans := c.humans()
	return len(humans) == 1 && humans[0] == id.Name
}

// humans returns the people whose approvals count today. A person whose every key was
// revoked is not waited for: two humans agreed to that in the revocation.
func (c electorate) humans() []string {
	return slices.DeleteFunc(c.roles.Humans(), func(name string) bool {
		id, _ := c.roles.ByName(name)
		return id.Expired(c.now) || len(id.Revoked) > 0 && !id.CanApprove()
	})
}

// threshold caps the number of required humans at the number of humans available. People who
// provably took part support the change already, so they do not count for the cap. The proof
// is a key, an account, or a signed approval by a person who is named as taking part. A forged
// author address proves nothing. The cap never falls below one.
func (c electorate) threshold(n need) (int, []string) {
	if n.Role != Human {
		return n.Count, nil
	}
	available, lost := 0, c.lostKeys()
	for _, name := range c.humans() {
		if !c.standsBehind(name) && !slices.Contains(lost, name) {
			available++
		}
	}
	available = max(available, 1)
	if n.Count <= available {
		return n.Count, nil
	}
	return available, []string{fmt.Sprintf("%d humans would be needed; only %d can be asked", n.Count, available)}
}

// lostKeys names the humans whose every key the change revokes. They are not waited for:
// a person who lost a key cannot sign its revocation. At least two other humans must
// remain, and both must support the change, so that no human locks another out alone.
func (c electorate) lostKeys() []string {
	lost := c.lost
	left := slices.DeleteFunc(c.humans(), func(name string) bool { return slices.Contains(lost, name) })
	//defence:nobody-revokes-alone
	if len(left) < 2 {
		return nil
	}
	return lost
}

// standsBehind reports that a person took part, and that this is certain.
func (c electorate) standsBehind(name string) bool {
	ex, excluded := c.excluded[name]
	op, spoke := c.opinions.latest[name]
	if !excluded {
		return false
	}
	//defence:taking-part-is-proven
	if !ex.proven && !c.vouchers[name] && (!spoke || op.Decision != review.Approve) {
		return false
	}
	return true
}

// couldStandBehind returns the humans who seem to have taken part and have not signed for it.
// Their own signature would prove it, and so lower the count that threshold requires.
func (c electorate) couldStandBehind(role string) []string {
	if role != Human {
		return nil
	}
	return slices.DeleteFunc(c.humans(), func(name string) bool {
		id, _ := c.roles.ByName(name)
		_, excluded := c.excluded[name]
		return !excluded || !id.CanApprove() || c.standsBehind(name)
	})
}

// shortage says why a requirement cannot be met: it names those who could approve, and those who took part.
func (c electorate) shortage(role string, could []string) string {
	var took []string
	held := false
	for _, id := range c.roles.All() {
		if !c.roles.Satisfies(id, role) {
			continue
		}
		held = true
		if ex, excluded := c.excluded[id.Name]; excluded {
			took = append(took, id.Name+" "+ex.why)
		}
	}
	if !held {
		return "nobody in " + RolesFile + " has that role"
	}
	text := "nobody else in " + RolesFile + " is independent"
	if len(could) > 0 {
		text = "only " + strings.Join(could, ", ") + " is independent"
	}
	if len(could) > 1 {
		text = "only " + strings.Join(could, ", ") + " are independent"
	}
	if len(took) > 0 {
		text += " (" + strings.Join(took, ", ") + ")"
	}
	return text
}
