package propose

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/workspace"
)

// Extend adds one commit to the branch of an open proposal: exactly the request's files, on top of
// the branch, by the request's author. Unlike Update it keeps the existing commits, so that the
// branch shows who made which part; all of them count as authors. ErrNothing means that the branch
// has the files already.
func Extend(ctx context.Context, w *workspace.Workspace, id string, r Request) (Outcome, error) {
	return replace(ctx, w, id, r, func(_ workspace.Session, have intent) (Request, diag.List, error) {
		if !r.Upon.IsZero() && r.Upon != have.pull.Head {
			return Request{}, nil, &forge.ErrStale{Ref: "refs/heads/" + have.pull.Branch, Want: r.Upon, Got: have.pull.Head}
		}
		fresh, err := effectiveEdits(have.head, r.Edits)
		if err != nil {
			return Request{}, nil, err
		}
		if len(fresh) == 0 {
			return Request{}, nil, ErrNothing
		}
		next := Request{
			Proposal: have.proposal, By: r.By, Author: r.Author, DryRun: r.DryRun, Origin: r.Origin,
			Parent: have.pull.Head, joins: true, Edits: slices.Clone(r.Edits),
		}
		// The engine's entries depend on the earlier content. They are removed first and written
		// again, so that they are never taken for an author's text.
		for _, file := range have.engine {
			before, err := have.began.Read(file)
			if err != nil {
				return next, nil, fmt.Errorf("read %s of the base: %w", file, err)
			}
			next.Drop = append(next.Drop, tree.Edit{Path: file, Content: before})
		}
		for _, e := range have.edits {
			if !slices.ContainsFunc(r.Edits, func(o tree.Edit) bool { return o.Path == e.Path }) {
				next.Edits = append(next.Edits, e)
			}
		}
		return next, nil, nil
	})
}
