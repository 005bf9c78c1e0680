package exchange

import (
	"context"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// outdated returns which runs have artifacts that are no longer kept. While nothing is known to be in
// force, none has.
func outdated(ctx context.Context, w *workspace.Workspace) func(id string) bool {
	cur, err := w.Session(ctx)
	if err != nil {
		return func(string) bool { return false }
	}
	known := map[string]bool{}
	return func(id string) bool {
		is, seen := known[id]
		if !seen {
			is = w.Runs.Outdated(id, w.Now(), cur.Policies.Retention.Artifacts)
			known[id] = is
		}
		return is
	}
}

// artifacts publishes the files that scripts made, before the runs whose records name them. A ref with
// another commit than its name says belongs to no run; doctor replaces it.
func (p *pushing) artifacts(ctx context.Context) error {
	refs, err := p.w.Repo.Refs(runlog.ArtifactsPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return err
	}
	var gone func(string) bool
	for _, ref := range refs {
		id, commit, ok := runlog.ParseArtifacts(ref.Name)
		if !ok || commit != ref.Hash || !p.there[ref.Name].IsZero() || len(p.o.IDs) > 0 && !slices.Contains(p.o.IDs, id) {
			continue
		}
		if gone == nil {
			gone = outdated(ctx, p.w)
		}
		if !gone(id) && p.legible("artifacts of run "+id, ref.Hash) {
			p.moves = append(p.moves, remote.Move{Ref: ref.Name, New: ref.Hash})
		}
	}
	return nil
}

// artifacts imports the files that scripts made, of runs that are here or on the remote.
func (p *pulling) artifacts(ctx context.Context) error {
	names := p.differing(runlog.ArtifactsPrefix)
	if len(names) == 0 || p.dryRun {
		return nil
	}
	shelf, err := shelfThere(runlog.Shelf(), p.w.Repo, p.out.Remote)
	if err != nil {
		return err
	}
	gone := outdated(ctx, p.w)
	for _, name := range names {
		id, commit, _ := runlog.ParseArtifacts(name)
		if commit != p.there[name] || gone(id) {
			continue
		}
		known, err := p.w.Runs.Has(id)
		if err == nil && !known {
			known, err = shelf.Has(p.w.Repo, id)
		}
		if err != nil || !known {
			continue // runs says why a run cannot be read
		}
		if _, err := p.w.Repo.Commit(commit); Unreadable(err) {
			p.leave(fmt.Errorf("artifacts of run %s: %w", id, err), name)
			continue
		} else if err != nil {
			return err
		}
		if err := p.w.Repo.Update(gitstore.RefUpdate{Name: name, New: commit, Any: true, Reflog: "assent: pull"}); err != nil {
			return err
		}
	}
	return nil
}
