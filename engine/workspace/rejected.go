package workspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// maxRejected is how many rejected proposals one is compared with, the newest first.
const maxRejected = 200

// rejected caches the rejected proposals for one observation of a workspace.
type rejected struct {
	once sync.Once
	list []refused
	err  error
}

// refused is a proposal that was rejected, or whose reviewers asked for changes, with the parts to
// compare with other proposals.
type refused struct {
	policy.Rejection
	goal string // "" where only content is compared
	// contents are the content objected to, and the present content.
	contents []content
}

// content is the text a change adds and removes, without the proposal's own file.
type content struct{ comes, goes duplicate.Passage }

func (c content) like(o content) bool {
	if c.comes.Empty() && o.comes.Empty() {
		return !c.goes.Empty() && c.goes.Like(o.goes)
	}
	return c.comes.Like(o.comes)
}

// rejections lists the rejected proposals that ex repeats, by goal or content. It is called for a
// proposal that could merge now; the attestation keeps the result.
func rejections(ctx context.Context, s Session, ex *Examined) ([]policy.Rejection, error) {
	all := s.rejected
	all.once.Do(func() { all.list, all.err = readRejected(ctx, s) })
	if all.err != nil || len(all.list) == 0 {
		return nil, all.err
	}
	mine, err := contentOf(s, ex.Case.Pull.Head)
	if err != nil {
		return nil, err
	}
	var out []policy.Rejection
	for _, r := range all.list {
		switch {
		case r.ID == ex.Case.Pull.ID: // reopened: its own reviews count
			continue
		case slices.ContainsFunc(r.contents, mine.like):
			r.Same = policy.SameContent
		case duplicate.SameGoal(r.goal, ex.Case.Pull.Title):
			r.Same = policy.SameGoal
		default:
			continue
		}
		out = append(out, r.Rejection)
	}
	return out, nil
}

// readRejected reads the newest rejections and requests for changes that a listed person or agent
// signed and did not take back, whatever the state of their proposals: updating, reopening or
// withdrawing one undoes no objection. Listing proposals reports damaged journals.
func readRejected(ctx context.Context, s Session) ([]refused, error) {
	quiet := openUnobjected(s)
	all, err := s.Record.List(ctx, forge.Filter{Skip: quiet.has})
	if _, err = forge.Damages(err); err != nil {
		return nil, fmt.Errorf("list rejected proposals: %w", err)
	}
	defer quiet.save()
	var out []refused
	for _, p := range all {
		if len(out) == maxRejected {
			break
		}
		activity, err := s.Record.Activity(ctx, p.ID)
		if err != nil {
			continue
		}
		reviews := gate.Case{Workspace: s.ID(), Pull: p, Activity: activity}.Facts().Reviews
		if !slices.ContainsFunc(reviews, objects) {
			quiet.add(p.Last)
			continue
		}
		//defence:rejections-outlive-their-proposals
		if p.State == forge.Merged {
			continue
		}
		found, objected := objection(s, reviews)
		if !objected {
			continue
		}
		r := refused{Rejection: policy.Rejection{ID: p.ID, By: found.name, Reason: found.Reason, At: found.At}, goal: p.Title}
		if p.State == forge.Open && found.Decision == review.RequestChanges {
			r.goal = "" // it is being changed, and others may propose the same
		}
		// Rejected content may be broken in any way, and still have a goal.
		there, _ := contentOf(s, p.Head)
		r.contents = []content{there}
		//defence:objections-outlive-updates
		if c, err := contentOf(s, found.Head); err == nil {
			r.contents = append(r.contents, c)
		}
		out = append(out, r)
	}
	return out, nil
}

// objects reports whether a review is an objection, by any reviewer.
func objects(rv policy.Review) bool {
	//defence:requests-outlive-their-proposals
	if rv.Decision == review.RequestChanges {
		return true
	}
	return rv.Decision == review.Reject
}

// objector is a review by a listed identity.
type objector struct {
	policy.Review
	name string
}

// objection returns the standing objection: a rejection before a request for changes, and the last
// one of several. Each identity can take back only its own.
func objection(cur Session, reviews []policy.Review) (out objector, objected bool) {
	standing := map[string]objector{}
	for _, rv := range reviews {
		//defence:rejections-are-signed
		if !rv.Valid {
			continue
		}
		id, ok := cur.Policies.Roles.Proven(rv.By)
		if !ok {
			continue
		}
		if objects(rv) {
			standing[id.Name] = objector{rv, id.Name}
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

// contentOf reads what the commits up to a head change. Where capabilities change, the
// entries in SOUL.md files that the engine writes for them are left out.
func contentOf(s Session, head tree.Hash) (content, error) {
	base, err := s.Repo.MergeBase(s.Main, head)
	if err != nil {
		return content{}, err
	}
	before, err := s.Repo.Snapshot(base)
	if err != nil {
		return content{}, err
	}
	after, err := s.Repo.Snapshot(head)
	if err != nil {
		return content{}, err
	}
	var comes, goes strings.Builder
	for _, area := range []names.AreaName{names.SkillsArea, names.PoliciesArea, names.WorkflowsArea, names.SoulArea} {
		if area == names.SoulArea && comes.Len()+goes.Len() > 0 {
			break
		}
		changes, err := tree.Diff(before, after, string(area))
		if err != nil && !errors.Is(err, tree.ErrTooLarge) {
			return content{}, err
		}
		for _, c := range changes {
			was, is := textOf(before, c.Old), textOf(after, c.New)
			missing(&comes, is, was)
			missing(&goes, was, is)
		}
	}
	return content{duplicate.PassageOf(comes.String()), duplicate.PassageOf(goes.String())}, nil
}

// maxPassage bounds the compared text of a change, in bytes.
const maxPassage = 256 << 10

// textOf reads a file; for anything else, or on failure, it returns the object's hash.
func textOf(v tree.View, e tree.Entry) string {
	switch {
	case e.Path == "":
		return ""
	case !e.Mode.IsFile():
		return e.Hash.String()
	}
	data, err := v.Read(e.Path)
	if err != nil {
		return e.Hash.String()
	}
	return string(data)
}

// missing writes the lines of a that b has not.
func missing(out *strings.Builder, a, b string) {
	have := map[string]bool{}
	for line := range strings.Lines(b) {
		have[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(a) {
		if line = strings.TrimSpace(line); line != "" && !have[line] && out.Len() < maxPassage {
			out.WriteString(line + "\n")
		}
	}
}
