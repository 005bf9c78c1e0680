package workspace

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// maxRejected is how many rejected proposals one is compared with, the newest first.
const maxRejected = 200

// OnItsWay is how long before a merge an objection may have been signed that the machine which merged had not
// fetched: an honest merge beside it stays in force.
const OnItsWay = time.Minute

// refused is a proposal that was rejected, or whose reviewers asked for changes, with the parts to
// compare with other proposals.
type refused struct {
	policy.Rejection
	goal string // "" where only content is compared
	head tree.Hash
	// contents are the content objected to, and the present content.
	contents []content
}

// compared fills in what is the same in a proposal with a goal and a content; is is false if nothing is.
func (r refused) compared(goal string, mine content) (same policy.Rejection, is bool) {
	same = r.Rejection
	switch {
	case slices.ContainsFunc(r.contents, mine.like):
		same.Same = policy.SameContent
	case duplicate.SameGoal(r.goal, goal):
		same.Same = policy.SameGoal
	case r.goal != "" && slices.ContainsFunc(r.contents, mine.named):
		same.Same = policy.SameName
	default:
		return same, false
	}
	return same, true
}

// rejections lists the rejected proposals that ex repeats, by goal or content. It is called for a
// proposal that could merge now; the attestation keeps the result. It includes all that readers derive
// (signedRejections), so that they accept a merge without a signature, too.
func rejections(ctx context.Context, s Session, ex *Examined) ([]policy.Rejection, error) {
	all, err := listRejected(ctx, s)
	if err != nil {
		return nil, err
	}
	derived, err := signedRejections(ctx, s, ex, 0)
	if err != nil || len(all)+len(derived) == 0 {
		return nil, err
	}
	mine, err := contentOf(s, ex.Result.MergeBase, ex.Case.Pull.Head)
	if err != nil {
		return nil, err
	}
	var out []policy.Rejection
	for _, r := range all {
		if r.ID == ex.Case.Pull.ID { // reopened: its own reviews count
			continue
		}
		if same, is := r.compared(ex.Case.Pull.Title, mine); is {
			out = append(out, same)
		}
	}
	return join(out, derived), nil
}

// join adds the rejections of other proposals to a list.
func join(list, more []policy.Rejection) []policy.Rejection {
	out := slices.Clone(list)
	for _, m := range more {
		if !slices.ContainsFunc(list, func(r policy.Rejection) bool { return r.ID == m.ID }) {
			out = append(out, m)
		}
	}
	return out
}

// listRejected returns the proposals with a standing objection that a listed person or agent signed,
// whatever their state: updating, reopening or withdrawing one undoes no objection.
func listRejected(ctx context.Context, s Session) ([]refused, error) {
	all, err := s.objections.read(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []refused
	for _, o := range all {
		p := o.pull
		if len(out) == maxRejected {
			break
		}
		//defence:rejections-outlive-their-proposals
		if p.State == forge.Merged {
			continue
		}
		found, objected := objection(s.Policies.Roles, o.reviews)
		if !objected {
			continue
		}
		r := refused{Rejection: found.rejection(p.ID), goal: p.Title, head: p.Head}
		if p.State == forge.Open && found.Decision == review.RequestChanges {
			r.goal = "" // it is being changed, and others may propose the same
		}
		// Rejected content may be broken in any way, and still have a goal.
		there, _ := s.objections.content(s, p.ID, policy.Review{Head: p.Head})
		r.contents = []content{there.content}
		//defence:objections-outlive-updates
		if c, err := s.objections.content(s, p.ID, found.named(s)); err == nil {
			r.contents = append(r.contents, c.content)
		}
		out = append(out, r)
	}
	return out, nil
}

// signedRejections lists the rejected proposals that a merge repeats, by what humans signed up to its
// instant and by nothing else. Readers derive it, because a merge without a signature they believe can
// leave out what it answers. The invariant: only a listed human's signature adds to it, content and goal
// are those of the head that the signature names, and a signature dated later changes nothing. Of those dated
// within unseen before that instant, none counts.
func signedRejections(ctx context.Context, s Session, ex *Examined, unseen time.Duration) ([]policy.Rejection, error) {
	all, err := s.objections.read(ctx, s)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	roles, until := s.Policies.Roles, lastSigned(s.Policies.Roles, ex).Add(-unseen)
	var standing []objector
	for _, p := range all {
		signed := slices.DeleteFunc(slices.Clone(p.reviews), func(rv policy.Review) bool {
			id, _ := roles.Proven(rv.By)
			//defence:objections-count-by-their-date
			if rv.At.After(until) {
				return true
			}
			return !roles.Satisfies(id, policy.Human) || id.Expired(rv.At)
		})
		if found, objected := objection(roles, signed); objected && p.pull.ID != ex.Case.Pull.ID {
			found.proposal = p.pull.ID
			standing = append(standing, found)
		}
	}
	order.Stable(standing, func(a, b objector) int { return b.At.Compare(a.At) })
	if len(standing) == 0 {
		return nil, nil
	}
	mine, err := contentOf(s, ex.Result.MergeBase, ex.Case.Pull.Head)
	if err != nil {
		return nil, err
	}
	var out []policy.Rejection
	for _, found := range standing[:min(len(standing), maxRejected)] {
		c, err := s.objections.content(s, found.proposal, found.Review)
		if unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.adds = nil // earlier versions recorded no rejection for a name: their merges stand
		r := refused{Rejection: found.rejection(found.proposal), contents: []content{c.content}}
		if found.Decision == review.Reject {
			r.goal = c.goal
		}
		same, is := r.compared(ex.Case.Proposal.Goal, mine)
		if !is {
			continue
		}
		if _, err := s.View.Lookup(c.file); c.file != "" && err == nil { // it was allowed since, and is in force
			continue
		}
		//defence:rejections-are-derived
		out = append(out, same)
	}
	return out, nil
}

// lastSigned returns the instant of a merge, or the later date of a review of it that counts: no merge
// is older than what it rests on.
func lastSigned(roles policy.Roles, ex *Examined) time.Time {
	out := ex.Case.Now
	for _, rv := range ex.Case.Facts().Reviews {
		//defence:a-merge-is-not-older-than-its-reviews
		if _, listed := roles.Proven(rv.By); listed && rv.Valid && rv.At.After(out) && !rv.At.After(ex.Case.Now.Add(policy.ClockSkew)) {
			out = rv.At
		}
	}
	return out
}

// objects reports whether a review is an objection, by any reviewer.
func objects(rv policy.Review) bool {
	//defence:requests-outlive-their-proposals
	if rv.Decision == review.RequestChanges {
		return true
	}
	return rv.Decision == review.Reject
}

// objector is a review by a listed identity of a proposal.
type objector struct {
	policy.Review
	name, proposal string
}

func (o objector) rejection(id string) policy.Rejection {
	return policy.Rejection{ID: id, By: o.name, Reason: o.Reason, At: o.At}
}

// named returns the review as one whose change is searched for: only that of a human may cost a search.
func (o objector) named(s Session) policy.Review {
	rv := o.Review
	if id, _ := s.Policies.Roles.ByName(o.name); !s.Policies.Roles.Satisfies(id, policy.Human) {
		rv.Effective = ""
	}
	return rv
}

// Rejected reports whether the standing rejections of a proposal include one by a listed human, and one by any listed
// identity. Anyone who can push can record that a proposal was rejected.
func Rejected(s Session, p forge.Pull, activity forge.Activity) (human, listed bool) {
	roles := s.Policies.Roles
	reviews := gate.Case{Workspace: s.ID(), Pull: p, Activity: activity}.Facts().Reviews
	order.Stable(reviews, func(a, b policy.Review) int { return a.At.Compare(b.At) })
	reviews = slices.DeleteFunc(reviews, func(rv policy.Review) bool { return !rv.Valid || rv.At.After(s.Now().Add(policy.ClockSkew)) })
	_, listed = objection(roles, reviews)
	_, human = objection(roles, slices.DeleteFunc(reviews, func(rv policy.Review) bool {
		id, _ := roles.Proven(rv.By)
		return !roles.Satisfies(id, policy.Human) || id.Expired(rv.At)
	}))
	return human, listed
}

// objection returns the standing objection: a rejection before a request for changes, and the last
// one of several. Each identity can take back only its own.
func objection(roles policy.Roles, reviews []policy.Review) (out objector, objected bool) {
	standing := map[string]objector{}
	for _, rv := range reviews {
		id, ok := roles.Proven(rv.By)
		if !ok {
			continue
		}
		if objects(rv) {
			standing[id.Name] = objector{Review: rv, name: id.Name}
		} else { // taken back
			delete(standing, id.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(standing)) {
		o := standing[name]
		heavier, same := o.Decision == review.Reject && out.Decision != review.Reject, o.Decision == out.Decision
		if !objected || heavier || same && o.At.After(out.At) {
			out, objected = o, true
		}
	}
	return out, objected
}
