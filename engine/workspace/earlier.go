package workspace

import (
	"context"
	"path"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Earlier is a proposal that is open, or one with a standing objection.
type Earlier struct {
	ID string
	// Title is its goal, as its author wrote it; empty if reviewers asked for changes of an open one.
	Title string
	// Adds are the names of the capabilities that it adds.
	Adds []string
	// Rejection is the objection; nil for an open proposal without one.
	Rejection *policy.Rejection
}

// maxEarlier bounds how many open proposals are compared with a gap, the newest first.
const maxEarlier = 200

// ListEarlier lists proposals that may serve a gap or tell why nothing does: the open ones, then those that
// people or agents on the list objected to.
func ListEarlier(ctx context.Context, s Session) ([]Earlier, error) {
	open, err := s.openPulls.list(ctx, s.Forge)
	if err != nil {
		return nil, err
	}
	rejected, err := listRejected(ctx, s)
	if err != nil {
		return nil, err
	}
	objected := map[string]bool{}
	for _, r := range rejected {
		objected[r.ID] = true
	}
	var out []Earlier
	for _, p := range open[:min(len(open), maxEarlier)] {
		if !objected[p.ID] {
			out = append(out, Earlier{ID: p.ID, Title: p.Title, Adds: adds(s, p.Head)})
		}
	}
	for _, r := range rejected {
		out = append(out, Earlier{ID: r.ID, Title: r.goal, Adds: adds(s, r.head), Rejection: &r.Rejection})
	}
	return out, nil
}

// adds returns the names of the capabilities that the commits up to a head add; none if they cannot be read,
// because pushed content may be broken in any way.
func adds(s Session, head tree.Hash) (out []string) {
	base, err := s.Repo.MergeBase(s.Main, head)
	if err != nil {
		return nil
	}
	before, err := s.Repo.Snapshot(base)
	if err != nil {
		return nil
	}
	after, err := s.Repo.Snapshot(head)
	if err != nil {
		return nil
	}
	changes, err := tree.Diff(before, after, capability.Root)
	if err != nil {
		return nil
	}
	for _, c := range changes {
		out = appendAdded(out, c)
	}
	return out
}

// appendAdded appends the name of the capability that a change of a file adds.
func appendAdded(list []string, c tree.Change) []string {
	if c.Added() && path.Base(c.Path) == names.SkillFile && len(list) < maxBrought {
		list = append(list, path.Base(path.Dir(c.Path)))
	}
	return list
}

// maxBrought bounds how many added capabilities of one proposal are named.
const maxBrought = 64
