package policy

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/review"
)

// ClockSkew is how far in the future a review may be dated: clocks of two
// machines differ.
const ClockSkew = 5 * time.Minute

// opinions are the reviews that count.
type opinions struct {
	// latest decision of each identity, by name.
	latest map[string]opinion
	// ignored are the reviews that do not count, in their order.
	ignored []ignored
}

// ignored is a review that does not count.
type ignored struct {
	by string // the identity's name, empty if it is unknown
	at time.Time
	// why is the sentence about it.
	why string
}

type opinion struct {
	Review
	id Identity
}

// reviews are the recorded decisions about a proposal, with the inputs that validate them.
type reviews struct {
	f      Facts
	roles  Roles
	expiry time.Duration // of an approval
}

// opinions takes the latest valid review of each identity. The base's roles identify the
// reviewers, so a revoked key stops counting at once.
func (c reviews) opinions() opinions {
	out := opinions{latest: map[string]opinion{}}
	revoked := c.revoked()
	for _, rv := range c.f.Reviews {
		id, known := c.roles.Proven(rv.By)
		if rv.Decision == review.Revoke && c.revokes(rv, known) {
			continue
		}
		if at, back := revoked[id.Name]; known && back && !rv.At.After(at) {
			out.ignored = append(out.ignored, ignored{id.Name, rv.At, fmt.Sprintf("the review by %s was taken back", id.Name)})
			continue
		}
		if why := c.unfit(rv, id, known); why != "" {
			out.ignored = append(out.ignored, ignored{id.Name, rv.At, fmt.Sprintf("the review by %s does not count: %s", reviewerName(id, rv.By), why)})
			continue
		}
		if old, ok := out.latest[id.Name]; !ok || !rv.At.Before(old.At) {
			out.latest[id.Name] = opinion{rv, id}
		}
	}
	out.expire(c)
	return out
}

// revoked returns until when each identity took their reviews back, by name. Their
// order in the record proves nothing, so dates decide, and of two of one second the
// one that takes back.
func (c reviews) revoked() map[string]time.Time {
	out := map[string]time.Time{}
	for _, rv := range c.f.Reviews {
		id, known := c.roles.Proven(rv.By)
		if !known { // taking back can only make the verdict stricter, so a revoked key still does
			id, _, known = c.roles.RevokedKey(rv.By.Key)
		}
		if rv.Decision == review.Revoke && c.revokes(rv, known) && rv.At.After(out[id.Name]) {
			out[id.Name] = rv.At
		}
	}
	return out
}

// revokedKey says that a review was signed with a revoked key, or nothing.
func (c reviews) revokedKey(rv Review) string {
	if id, rev, ok := c.roles.RevokedKey(rv.By.Key); ok {
		return rev.Refusal(id.Name)
	}
	return ""
}

// revokes reports whether a withdrawal of a review counts. It counts for every version of
// the proposal.
func (c reviews) revokes(rv Review, known bool) bool {
	return rv.Valid && known && !rv.At.After(c.f.Now.Add(ClockSkew))
}

// expire drops old approvals after the latest of each identity is known: an
// expired approval still takes back the objection that came before it. No
// objection ever expires, because waiting must not turn a no into a yes.
func (o *opinions) expire(c reviews) {
	for _, name := range slices.Sorted(maps.Keys(o.latest)) {
		//defence:approval-expires
		if op := o.latest[name]; op.Decision == review.Approve && c.f.Now.Sub(op.At) > c.expiry {
			o.ignored = append(o.ignored, ignored{name, op.At, "the approval by " + name + " has expired"})
			delete(o.latest, name)
		}
	}
}

// remarks says why reviews do not count, each sentence once. It leaves out reviews that a
// later one of the same reviewer replaced.
func (o *opinions) remarks() []string {
	var out []string
	for _, r := range o.ignored {
		if op, ok := o.latest[r.by]; ok && !r.at.After(op.At) || slices.Contains(out, r.why) {
			continue
		}
		out = append(out, r.why)
	}
	return out
}

func reviewerName(id Identity, a Actor) string {
	for _, s := range []string{id.Name, string(a.Key), string(a.Claimed), a.Login, a.ClaimedLogin} {
		if s != "" {
			return s
		}
	}
	return "an unknown person"
}

// unfit says why a review does not count, or nothing.
func (c reviews) unfit(rv Review, id Identity, known bool) string {
	sameHead := !c.f.Head.IsZero() && rv.Head == c.f.Head
	sameTree := rv.Effective != "" && (rv.Effective == c.f.Effective || rv.Effective == c.f.Unwritten) || c.plain(rv)
	//defence:approval-of-the-whole-change
	if rv.Decision == review.Approve && rv.Effective != "" && c.f.Effective != "" {
		sameHead = false // main may hold a part of the branch by now, and have taken it back
	}
	switch {
	//defence:review-valid
	case !rv.Valid && rv.Invalid != "":
		return rv.Invalid
	//defence:review-valid
	case !rv.Valid:
		return "nothing proves it"
	case !known && c.revokedKey(rv) != "":
		return c.revokedKey(rv)
	case !known:
		return "the base's roles.yaml does not know who that is"
	//defence:reviewer-not-expired
	case id.Expired(c.f.Now):
		return "their entry in roles.yaml has expired"
	case rv.Decision == review.Revoke || !slices.Contains(review.Decisions(), rv.Decision):
		return "it is no decision"
	case rv.At.IsZero():
		return "it bears no date"
	case rv.Decision == review.Approve && c.f.expired(c.roles, id) != "":
		return c.f.expired(c.roles, id)
	//defence:review-not-ahead
	case rv.At.After(c.f.Now.Add(ClockSkew)):
		return fmt.Sprintf("it is dated %s, after the clock here; set the clock that is wrong", rv.At.UTC().Format(time.RFC3339))
	//defence:review-bound-to-content
	case !sameHead && !sameTree:
		return "it was given on another version"
	default:
		return c.outgrown(rv)
	}
}

// plain reports whether a review that an engine up to 0.4.0 signed is valid for this content.
// At its own head the bytes are those that the reviewer saw.
func (c reviews) plain(rv Review) bool {
	sameHead := !c.f.Head.IsZero() && rv.Head == c.f.Head
	//defence:plain-digests-bind-their-head
	return c.f.Plain != "" && rv.Effective == c.f.Plain && (sameHead || c.f.PlainStands)
}

// outgrown says why an approval of the same head is of another change, or nothing. A signed
// review names the change. An account on a service approves a head, and so the change
// that it made at the time. Two events of the same second have no known order.
func (c reviews) outgrown(rv Review) string {
	taken := c.f.Taken
	if taken == nil || rv.Effective != "" || rv.Decision != review.Approve {
		return ""
	}
	//defence:accounts-approve-what-is-left
	if taken.At.IsZero() {
		return "it names a commit, main holds a part of that branch, and no witness says since when: `assent rebase " + names.ShellWord(c.f.ID) + "`, and approve that"
	}
	//defence:accounts-approve-what-is-left
	if !rv.At.After(taken.At) {
		return fmt.Sprintf("main took in a part of what was approved, with %s at %s, and the rest is another change: approve that", taken.By, taken.At.UTC().Format(time.RFC3339))
	}
	return ""
}
