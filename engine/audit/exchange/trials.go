package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func trialsName(ref string) string { return "trials " + strings.TrimPrefix(ref, triallog.Prefix) }

// trials publishes journals of trials that are ahead of the remote's. A failing one
// blocks nothing else.
func (p *pushing) trials(ctx context.Context) error {
	if len(p.o.IDs) > 0 {
		return nil
	}
	refs, err := p.w.Repo.Refs(triallog.Prefix)
	broken, err := gitstore.BrokenRefs(err)
	if err != nil {
		return err
	}
	for _, ref := range broken {
		p.held = append(p.held, Held{trialsName(ref.Name), ref.Error()})
	}
	for _, ref := range refs {
		there := p.there[ref.Name]
		if there == ref.Hash || !workspace.Shared(ref.Name) || !p.legible(trialsName(ref.Name), ref.Hash) {
			continue
		}
		if o := obstacle(p.there, ref.Name); o != "" {
			p.held = append(p.held, Held{trialsName(ref.Name), fmt.Sprintf("the ref %s on %s stands in its way", o, p.o.Remote)})
			continue
		}
		forward, known, err := p.forward(there, ref.Hash)
		if err != nil {
			return err
		}
		switch {
		case forward:
			p.moves = append(p.moves, remote.Move{Ref: ref.Name, Old: there, New: ref.Hash})
		case known:
			behind, err := p.w.Repo.IsAncestor(ref.Hash, there)
			if err != nil {
				return err
			}
			if behind {
				continue
			}
			if err := otherTrials(ctx, p, ref, there); err != nil {
				return err
			}
		}
	}
	return nil
}

// otherTrials publishes a journal that the remote has in another version if records were erased here since. If
// they were erased there, a pull takes that.
func otherTrials(ctx context.Context, p *pushing, ref gitstore.Ref, there tree.Hash) error {
	cur, err := p.w.Session(ctx)
	if err != nil {
		return nil //nolint:nilerr // the push reports the error itself
	}
	checks, err := workspace.TrialsOf(cur).Checks()
	if err != nil {
		return err
	}
	w := trial.Writer(strings.TrimPrefix(ref.Name, triallog.Prefix))
	here, err := checks.Erases(w, there, ref.Hash)
	if err != nil {
		return err
	}
	if here {
		p.moves = append(p.moves, remote.Move{Ref: ref.Name, Old: there, New: ref.Hash})
		return nil
	}
	if elsewhere, err := checks.Erases(w, ref.Hash, there); err != nil || elsewhere {
		return err
	}
	p.held = append(p.held, Held{trialsName(ref.Name), "the journal there is another one"})
	return nil
}

// trials imports the journals of other installations that continue the local copies. One
// that does not is reported on its own.
func (p *pulling) trials(ctx context.Context) error {
	names := p.differing(triallog.Prefix)
	if len(names) == 0 {
		return nil
	}
	cur, err := p.w.Session(ctx)
	if err != nil {
		p.out.Problems = append(p.out.Problems, fmt.Errorf("trials are not imported: %w", err))
		return nil
	}
	checks, err := workspace.TrialsOf(cur).Checks()
	if err != nil {
		return err
	}
	defer checks.Keep()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		here, there := p.here[name], p.there[name]
		if !here.IsZero() {
			behind, err := p.w.Repo.IsAncestor(there, here)
			if err != nil && !Unreadable(err) {
				return err
			}
			if behind {
				continue
			}
		}
		w := trial.Writer(strings.TrimPrefix(name, triallog.Prefix))
		at, err := checks.Take(w, here, there)
		if errors.Is(err, triallog.ErrJournal) && !here.IsZero() {
			if newer, err := checks.Erases(w, there, here); err != nil || newer {
				if err != nil {
					return err
				}
				continue // records were erased here, and a push publishes that
			}
		}
		if err != nil {
			if !triallog.IsLater(err) && !errors.Is(err, triallog.ErrJournal) && !errors.Is(err, trial.ErrVersion) && !Unreadable(err) {
				return err
			}
			p.out.Problems = append(p.out.Problems, fmt.Errorf("%s: %w", trialsName(name), err))
		}
		if at.IsZero() || at == here {
			continue
		}
		if !p.dryRun {
			if err := p.w.Repo.Update(gitstore.RefUpdate{Name: name, Old: here, New: at, Reflog: "assent: pull"}); err != nil {
				return err
			}
		}
		p.out.Trials = append(p.out.Trials, string(w))
	}
	return nil
}

// keepTrials brings this installation's journal up to date for the push: it commits acknowledged trials, and
// erases old ones where policies say so.
func keepTrials(ctx context.Context, w *workspace.Workspace, o Options) error {
	if o.DryRun || len(o.IDs) > 0 {
		return nil
	}
	cur, err := w.Session(ctx)
	if err != nil {
		return nil // the push reports the error itself, and the trials wait
	}
	return workspace.KeepTrials(ctx, cur)
}
