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

// Extend puts one more commit on the branch of an open proposal: exactly the request's
// files, on top of what the branch has, by whoever the request says. Unlike Update it
// keeps the commits that are there, so that the branch shows who did which part; all of
// them count as authors. ErrNothing says that the branch has the files already.
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
		// What the engine wrote there is about what was there. It is taken back first and
		// written anew, so that it is never taken for somebody's text.
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
