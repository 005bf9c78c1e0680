package local

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// ErrPublished reports that another repository knows the merge, or that its journal is
// folded.
var ErrPublished = errors.New("others may know of the merge")

// Unmerge returns the updates that reopen a pull request whose merge commit exists only
// in this repository. Its journal ends before the announcement of the merge, its branch
// is restored, and the old journal stays under AsidePrefix. there is the last event that
// another repository has, zero if none; published events are never cut off
// (ErrPublished). The caller moves main in the same transaction.
func (f *Forge) Unmerge(id string, merge, there tree.Hash) ([]gitstore.RefUpdate, error) {
	p, err := f.read(id, nil)
	if err != nil {
		return nil, wrap("unmerge", id, err)
	}
	events, err := Shelf().Read(f.repo, id)
	if err != nil {
		return nil, wrap("unmerge", id, err)
	}
	live, err := f.repo.Ref(pullRef(id))
	if errors.Is(err, gitstore.ErrNoRef) {
		err = fmt.Errorf("%w: its journal is folded", ErrPublished)
	}
	if err != nil {
		return nil, wrap("unmerge", id, err)
	}
	names := func(kind string) func(journal.Event) bool {
		return func(e journal.Event) bool { return e.Kind == kind && e.Fields["Commit"] == merge.String() }
	}
	published := 1 + slices.IndexFunc(events, func(e journal.Event) bool { return e.Commit == there })
	cut := max(published, slices.IndexFunc(events, names(evMerging)))
	if cut < 1 || p.pull.Merge != merge || slices.ContainsFunc(events[:cut], names(evMerged)) {
		return nil, wrap("unmerge", id, fmt.Errorf("%w: %s", ErrPublished, merge.Short()))
	}
	updates := []gitstore.RefUpdate{
		{Name: AsidePrefix + id + "/merged-" + merge.Short(), New: live, Any: true},
		{Name: pullRef(id), Old: live, New: events[cut-1].Commit, Reflog: "assent: give up a merge"},
	}
	branch := branchRef(forge.BranchPrefix + id)
	if _, err := f.repo.Ref(branch); errors.Is(err, gitstore.ErrNoRef) {
		updates = append(updates, gitstore.RefUpdate{Name: branch, New: p.pull.Head, Reflog: "assent: give up a merge"})
	} else if err != nil {
		return nil, wrap("unmerge", id, err)
	}
	return updates, nil
}
