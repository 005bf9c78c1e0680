package maintain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
)

// journals is the prefix of the refs of all journals.
const journals = "refs/assent/"

// Outcome is the work done, or planned in a dry run.
type Outcome struct {
	// Folded counts proposals, FoldedRuns runs; a later run drops their refs.
	Folded, FoldedRuns int
	// NoFold is the reason for folding none.
	NoFold string
	// Drops are refs of folded journals.
	Drops journal.Drops
	// Artifacts counts removed commits of artifacts.
	Artifacts int
	// United are merged lines of other repositories; Removed were merged earlier.
	United, Removed []string
	// Packs counts the packs before joining, Refs the loose refs before packing; 0 if not
	// done.
	Packs, Refs int
	// Notes are failures that prevent nothing else.
	Notes []string
	// Damaged are journals left unchanged.
	Damaged []*forge.Damaged
}

// Options change the behaviour of Run.
type Options struct {
	// Here folds even if journals come from another repository.
	Here   bool
	DryRun bool
	// Progress, if not nil, receives the numbers of examined and of all journals.
	Progress func(done, total int)
}

// Run does all maintenance.
func Run(ctx context.Context, cur workspace.Session, o Options) (Outcome, error) {
	seen, err := observe(cur)
	if err != nil {
		return Outcome{}, err
	}
	p := Decide(seen, o.Here)
	if o.DryRun {
		return foresee(ctx, cur.Workspace, seen, p)
	}
	return apply(ctx, cur.Workspace, seen, p, o.Progress)
}

// ByTheWay does a bounded part of the maintenance if it is worthwhile. Commands call it
// after their own work.
func ByTheWay(ctx context.Context, cur workspace.Session) (Outcome, error) {
	seen, err := standing(cur)
	if err != nil {
		return Outcome{}, err
	}
	return apply(ctx, cur.Workspace, seen, DecideByTheWay(seen), nil)
}

func observe(cur workspace.Session) (Observation, error) {
	o, err := standing(cur)
	if err != nil {
		return o, err
	}
	o.Clutter, err = cur.Repo.Clutter()
	return o, err
}

func standing(cur workspace.Session) (Observation, error) {
	traits := cur.Forge.Traits()
	o := Observation{Format: cur.Policies.Format, Artifacts: cur.Policies.Retention.Artifacts, Follows: cur.Repo.Follows(journals), Keeps: !traits.ReadOnly, Agreed: traits.Agreed}
	if !o.Keeps {
		return o, nil
	}
	proposals, err := cur.Archive.Standing()
	if err != nil {
		return o, err
	}
	runs, err := cur.Runs.Count()
	if err != nil {
		return o, err
	}
	artifacts, err := cur.Runs.CountArtifacts()
	o.Standing = proposals + runs + artifacts
	return o, err
}

// foresee counts the work that apply would do.
func foresee(ctx context.Context, w *workspace.Workspace, seen Observation, p Plan) (Outcome, error) {
	out := Outcome{NoFold: p.NoFold}
	var err error
	if p.Fold > 0 {
		if out.Folded, err = w.Archive.Foldable(ctx); err == nil {
			out.FoldedRuns, err = w.Runs.Foldable(ctx, w.Now())
		}
	}
	if err == nil && p.Drop > 0 {
		out.Drops, err = drop(ctx, w, 0)
		out.Drops.Removed, out.Drops.Left = out.Drops.Left, 0
		if err == nil {
			_, out.Artifacts, err = w.Runs.DropArtifacts(ctx, w.Now(), p.Artifacts, 0)
		}
	}
	if p.Repack {
		out.Packs = seen.Clutter.Packs
	}
	if p.PackRefs {
		out.Refs = seen.Clutter.LooseRefs
	}
	return out, err
}

// apply executes a plan. It drops refs first, because journals folded now must settle
// before their refs go.
func apply(ctx context.Context, w *workspace.Workspace, seen Observation, p Plan, progress func(done, total int)) (Outcome, error) {
	out := Outcome{NoFold: p.NoFold}
	if err := tend(ctx, w, p, progress, &out); err != nil {
		return out, err
	}
	if p.PackRefs {
		out.byGit("refs were not packed", w.Repo.PackRefs(), &out.Refs, seen.Clutter.LooseRefs)
	}
	if p.Repack {
		out.byGit("packs were not joined", w.Repo.Repack(), &out.Packs, seen.Clutter.Packs)
	}
	return out, nil
}

// tend maintains the journals.
func tend(ctx context.Context, w *workspace.Workspace, p Plan, progress func(done, total int), out *Outcome) error {
	var err error
	if p.Unite {
		for _, unite := range []func(context.Context, time.Time) (united, removed []string, err error){w.Archive.Unite, w.Runs.Unite} {
			united, removed, err := unite(ctx, w.Now())
			out.United, out.Removed = append(out.United, united...), append(out.Removed, removed...)
			if err != nil {
				out.Notes = append(out.Notes, err.Error())
			}
		}
	}
	if p.Drop > 0 {
		if out.Drops, err = drop(ctx, w, p.Drop); err != nil {
			return fmt.Errorf("tidy up: %w", err)
		}
		if out.Artifacts, _, err = w.Runs.DropArtifacts(ctx, w.Now(), p.Artifacts, p.Drop); err != nil {
			return fmt.Errorf("tidy up: %w", err)
		}
	}
	if p.Fold == 0 {
		return nil
	}
	out.Folded, err = w.Archive.Fold(ctx, w.Now(), p.Fold, progress)
	if out.Damaged, err = forge.Damages(err); err == nil {
		out.FoldedRuns, err = w.Runs.Fold(ctx, w.Now(), p.Fold)
	}
	if err != nil {
		return fmt.Errorf("tidy up: %w", err)
	}
	out.Drops.Waiting += out.Folded + out.FoldedRuns
	return nil
}

// drop removes the refs of up to most folded journals of each kind.
func drop(ctx context.Context, w *workspace.Workspace, most int) (journal.Drops, error) {
	proposals, err := w.Archive.Drop(ctx, w.Now(), most)
	if err != nil {
		return proposals, err
	}
	runs, err := w.Runs.Drop(ctx, w.Now(), most)
	return journal.Drops{
		Removed: proposals.Removed + runs.Removed, Left: proposals.Left + runs.Left, Waiting: proposals.Waiting + runs.Waiting,
	}, err
}

// byGit records the result of a step done by git, which may be old or missing.
func (o *Outcome) byGit(failed string, err error, count *int, before int) {
	switch {
	case errors.Is(err, gitrun.ErrNoGit):
		o.Notes = append(o.Notes, failed+": the git program is not installed")
	case err != nil:
		o.Notes = append(o.Notes, fmt.Sprintf("%s: %v", failed, err))
	default:
		*count = before
	}
}
