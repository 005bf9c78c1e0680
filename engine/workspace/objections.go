package workspace

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// objections caches the signed objections to proposals for one observation of a workspace: a walk over
// a long history reads each journal once, and each content about once.
type objections struct {
	once sync.Once
	list []objected
	err  error

	mu       sync.Mutex
	contents map[reviewed]rejectedContent
}

// objected is a proposal with an objection among its reviews, which are in the order of their dates.
type objected struct {
	pull    forge.Pull
	reviews []policy.Review
}

// reviewed is a change that a review names.
type reviewed struct {
	head      tree.Hash
	effective string
}

// rejectedContent is the content of a change, with the proposal's own file and the goal in it; both are
// empty if it has none.
type rejectedContent struct {
	content
	file, goal string
	err        error
}

// read lists the proposals with objections of any reviewer, the newest first. Listing proposals reports
// damaged journals.
func (o *objections) read(ctx context.Context, s Session) ([]objected, error) {
	o.once.Do(func() { o.list, o.err = readObjected(ctx, s) })
	return o.list, o.err
}

func readObjected(ctx context.Context, s Session) ([]objected, error) {
	quiet := openUnobjected(s)
	all, err := s.Record.List(ctx, forge.Filter{Skip: quiet.has})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("list rejected proposals: %w", err)
	}
	defer quiet.save()
	listed, err := listedAt(s)
	if err != nil {
		return nil, err
	}
	var out []objected
	for _, p := range all {
		_, activity, err := s.Record.Reviewed(ctx, p.ID)
		if err != nil {
			continue
		}
		reviews := gate.Case{Workspace: s.ID(), Pull: p, Activity: activity}.Facts().Reviews
		if !slices.ContainsFunc(reviews, objects) {
			quiet.add(p.Last)
			continue
		}
		// Anyone who can push can record a review again or later, so the journal's order proves nothing.
		//defence:reviews-count-in-the-order-of-their-dates
		order.Stable(reviews, func(a, b policy.Review) int { return a.At.Compare(b.At) })
		if reviews = kept(reviews, listed); slices.ContainsFunc(reviews, objects) {
			out = append(out, objected{p, reviews})
		}
	}
	return out, nil
}

// listedAt reports whether the roles of a session or of main list the key of a review.
func listedAt(s Session) (func(policy.Review) bool, error) {
	main, err := s.Repo.Snapshot(s.Main)
	var tip policy.Policies
	if err == nil {
		tip, _ = s.PoliciesAt(main)
	}
	if err = withoutContent(err); err != nil {
		return nil, err
	}
	return func(rv policy.Review) bool {
		_, now := s.Policies.Roles.Proven(rv.By)
		_, later := tip.Roles.Proven(rv.By)
		return now || later
	}, nil
}

// maxUnlisted bounds the reviews of one proposal that are kept although no roles of listedAt list their keys:
// other roles in a history may. Anyone who can push can add more.
const maxUnlisted = 64

// kept returns the valid reviews without copies.
func kept(reviews []policy.Review, listed func(policy.Review) bool) (out []policy.Review) {
	type same struct {
		key      review.Fingerprint
		decision review.Decision
		reviewed
		at time.Time
	}
	seen, unlisted := map[same]bool{}, 0
	for _, rv := range reviews {
		one := same{rv.By.Key, rv.Decision, reviewed{rv.Head, rv.Effective}, rv.At}
		//defence:rejections-are-signed
		if !rv.Valid {
			continue
		}
		if seen[one] {
			continue
		}
		if !listed(rv) {
			if unlisted++; unlisted > maxUnlisted {
				continue
			}
			rv.Reason = ""
		}
		seen[one] = true
		out = append(out, rv)
	}
	return out
}

// content returns the content of a change of a proposal.
func (o *objections) content(s Session, id string, rv policy.Review) (rejectedContent, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := reviewed{rv.Head, rv.Effective}
	c, known := o.contents[key]
	if !known {
		c = rejectedContentOf(s, id, rv)
		if len(o.contents) >= 4*maxRejected || o.contents == nil {
			o.contents = map[reviewed]rejectedContent{}
		}
		o.contents[key] = c
	}
	return c, c.err
}

func rejectedContentOf(s Session, id string, rv policy.Review) (out rejectedContent) {
	base, err := beginning(s, rv)
	if err == nil {
		out.content, err = contentOf(s, base, rv.Head)
	}
	if err == nil {
		out.file, out.goal, err = ownGoal(s, id, base, rv.Head)
	}
	out.err = err
	return out
}

// ownGoal reads the proposal's own file in a head.
func ownGoal(s Session, id string, base, head tree.Hash) (file, goal string, err error) {
	before, err := s.Repo.Snapshot(base)
	if err != nil {
		return "", "", err
	}
	after, err := s.Repo.Snapshot(head)
	if err != nil {
		return "", "", err
	}
	changes, err := tree.Diff(before, after, string(names.ProposalsArea))
	if err != nil {
		return "", "", err
	}
	for _, c := range changes {
		if c.Removed() || path.Base(c.Path) != id+".md" || !c.New.Mode.IsFile() {
			continue
		}
		src, err := after.Read(c.Path)
		if err != nil {
			return "", "", err
		}
		p, _ := proposal.Parse(c.Path, src)
		return c.Path, p.Goal, nil
	}
	return "", "", nil
}
