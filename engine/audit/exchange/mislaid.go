package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Junk is a ref of a remote in the place of folded journals, journals of runs or stops
// that holds none, or a ref with an unknown name below refs/assent/. It prevents the
// publication of this clone's refs, or fails every audit.
type Junk struct {
	Ref string
	// There is its commit on the remote, Here that in this clone, zero if there is none.
	There, Here tree.Hash
	// Fetched reports that this clone has the junk too, so there is no replacement.
	Fetched bool
	Why     error
}

// Kept returns the local ref under which Replace keeps the junk.
func (j Junk) Kept() string { return local.DamagedPrefix + "junk/" + j.There.Short() }

// Foreign reports whether a ref has a name below refs/assent/ that assent does not use.
func Foreign(ref string) bool {
	if !strings.HasPrefix(ref, "refs/assent/") || strings.HasPrefix(ref, workspace.StopPrefix) {
		return false
	}
	for _, shelf := range shelves() {
		if strings.HasPrefix(ref, shelf.Folded) {
			return false // lines of others are united with ours
		}
	}
	pull, isPull := strings.CutPrefix(ref, local.PullPrefix)
	run, isRun := strings.CutPrefix(ref, runlog.Prefix)
	return !(isPull && forge.IsID(pull) || isRun && runlog.IsID(run))
}

// FindJunk examines the refs of the last fetch; Damages fetches.
func FindJunk(ctx context.Context, w *workspace.Workspace, from string) ([]Junk, error) {
	var out []Junk
	find := func(prefix string, wrong func(ref string, here, there tree.Hash) error) error {
		here, err := heads(w.Repo, prefix)
		if err != nil {
			return err
		}
		there, err := heads(w.Repo, remote.Tracking(from, prefix))
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(there)) {
			if why := wrong(prefix+name, here[name], there[name]); why != nil {
				out = append(out, Junk{prefix + name, there[name], here[name], here[name] == there[name], why})
			}
		}
		return nil
	}
	for _, shelf := range shelves() {
		err := find(shelf.Folded, func(ref string, here, there tree.Hash) error {
			if here == there || !shelf.Yearly(ref) {
				return nil
			}
			return shelf.Readable(w.Repo, here, there)
		})
		if err != nil {
			return out, err
		}
	}
	err := find(workspace.StopPrefix, func(ref string, here, there tree.Hash) error { return wrongStop(ctx, w, ref, here, there) })
	if err != nil {
		return out, err
	}
	err = find("refs/assent/", func(ref string, _, _ tree.Hash) error {
		if !Foreign(ref) {
			return nil
		}
		return errors.New("assent keeps nothing under such a name")
	})
	if err != nil {
		return out, err
	}
	return out, find(runlog.Shelf().Live, func(ref string, here, there tree.Hash) error {
		if here == there || Foreign(ref) {
			return nil
		}
		_, err := journal.ReadAt(w.Repo, there)
		return err
	})
}

// wrongStop returns why the remote's ref of a stop is to be replaced: it holds no record of
// that name, or another commit than the one that a human's record makes here.
func wrongStop(ctx context.Context, w *workspace.Workspace, ref string, here, there tree.Hash) error {
	id, records := strings.TrimPrefix(ref, workspace.StopPrefix), w.StopRecords()
	if _, err := records.At(id, there); err != nil || here.IsZero() || here == there {
		return err
	}
	cur, err := w.Session(ctx)
	if err != nil {
		return nil //nolint:nilerr // nothing says then whose record counts; other checks report why
	}
	ours, err := records.At(id, here)
	if err != nil || workspace.AdmitStop(cur, ours) != nil {
		return nil //nolint:nilerr // ours is no better
	}
	return errors.New("it is not the record that a human signed")
}

// heads returns the refs below a prefix by the rest of their names. It leaves out broken
// ones, which doctor reports.
func heads(repo *gitstore.Repo, prefix string) (map[string]tree.Hash, error) {
	refs, err := repo.Refs(prefix)
	if _, err = gitstore.BrokenRefs(err); err != nil {
		return nil, err
	}
	out := map[string]tree.Hash{}
	for _, ref := range refs {
		out[ref.Name[len(prefix):]] = ref.Hash
	}
	return out, nil
}

// Replace replaces the junk on the remote by this clone's ref, or deletes it if there is
// none. The remote's ref moves by compare-and-swap, and a local ref keeps the junk.
func Replace(ctx context.Context, w *workspace.Workspace, from string, j Junk) error {
	evidence := gitstore.RefUpdate{Name: j.Kept(), New: j.There, Any: true, Reflog: "assent: kept as evidence"}
	if err := w.Repo.Update(evidence); err != nil {
		return fmt.Errorf("keep the ref of %s as evidence: %w", from, err)
	}
	if j.Fetched {
		err := w.Repo.Update(gitstore.RefUpdate{Name: j.Ref, Old: j.Here, Reflog: "assent: no record of its kind"})
		var stale *gitstore.ErrStale
		if gone := errors.As(err, &stale) && stale.Got.IsZero(); err != nil && !gone {
			return err
		}
		j.Here = tree.Hash{}
	}
	return swap(ctx, w, from, remote.Move{Ref: j.Ref, Old: j.There, New: j.Here})
}
