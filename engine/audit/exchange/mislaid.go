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

// Junk is a ref of a remote that stands where folded journals, journals of runs or stops are
// kept, and holds nothing of the kind, or that has a name below refs/assent/ which nothing has.
// It keeps those of this clone from being published, or fails every audit.
type Junk struct {
	Ref string
	// There is what it names, Here what it names in this clone, zero where it does not.
	There, Here tree.Hash
	// Fetched says that this clone has the junk, too: nothing is put in its place.
	Fetched bool
	Why     error
}

// Kept is the ref in this clone that Replace keeps what was there under.
func (j Junk) Kept() string { return local.DamagedPrefix + "junk/" + j.There.Short() }

// Foreign reports whether a ref has a name below refs/assent/ under which assent keeps nothing.
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

// FindJunk looks at what was fetched last; Damages fetches.
func FindJunk(w *workspace.Workspace, from string) ([]Junk, error) {
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
	err := find(workspace.StopPrefix, func(ref string, _, there tree.Hash) error {
		_, err := w.StopRecords().At(strings.TrimPrefix(ref, workspace.StopPrefix), there)
		return err
	})
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

// heads are the refs below a prefix by the rest of their names. A broken one is left out:
// doctor names it.
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

// Replace puts what this clone has in its place, or removes it where this clone has nothing.
// The remote's ref moves by compare-and-swap, and what was there is kept here.
func Replace(ctx context.Context, w *workspace.Workspace, from string, j Junk) error {
	evidence := gitstore.RefUpdate{Name: j.Kept(), New: j.There, Any: true, Reflog: "assent: kept as evidence"}
	if err := w.Repo.Update(evidence); err != nil {
		return fmt.Errorf("keep what %s has: %w", from, err)
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
