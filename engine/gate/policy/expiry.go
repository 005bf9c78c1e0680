package policy

import (
	"fmt"
	"slices"
	"time"
)

// ApprovedAt returns the date at which an approver must not have expired: that of the judgement, or
// the newest date of what the judgement rests on. A merge is dated by the clock of who makes it, and
// that clock can be set back; the commits and requests that it follows keep their dates.
//
// Anyone with permission to push can date a commit or a push ahead. So the later date takes only
// approvals away, never an objection or a person who is waited for, and only if the entry of another
// human lasts: a date never removes the last human.
func (f Facts) ApprovedAt(roles Roles) time.Time {
	at, newest := f.Now, f.RequestedAt
	if f.MainAt.After(newest) {
		newest = f.MainAt
	}
	newest = newest.Add(-ClockSkew)
	if newest.After(at) && !f.Undated && slices.ContainsFunc(roles.Humans(), func(name string) bool {
		id, _ := roles.ByName(name)
		return !id.Expired(newest)
	}) {
		//defence:expiry-is-not-dated-back
		at = newest
	}
	return at
}

// expired says why an approval or a success by id does not count, or nothing.
func (f Facts) expired(roles Roles, id Identity) string {
	switch at := f.ApprovedAt(roles); {
	//defence:reviewer-not-expired
	case id.Expired(f.Now):
		return "their entry in roles.yaml has expired"
	case at.After(f.Now) && id.Expired(at):
		return fmt.Sprintf("their entry in roles.yaml had expired on %s, the newest date of main and of this proposal", at.UTC().Format(time.DateOnly))
	}
	return ""
}
