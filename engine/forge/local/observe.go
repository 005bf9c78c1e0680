package local

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// observed is a pull request as its journal and the branches together tell it.
type observed struct {
	replayed
	// recorded is the head that the journal knows; pull.Head is where the branch is.
	recorded tree.Hash
	// unrecorded says that it is merged and that the journal does not know.
	unrecorded bool
	// branch is where the branch is, zero when there is none.
	branch tree.Hash
	// base is the tip of the base branch, zero when there is none.
	base tree.Hash
}

// observe replays events and looks at the branches.
func (f *Forge) observe(id string, events []journal.Event) (observed, error) {
	if len(events) == 0 {
		return observed{}, fmt.Errorf("%s: %w", id, forge.ErrNotFound)
	}
	state, err := replay(id, events)
	if err != nil {
		return observed{}, &forge.Damaged{ID: id, Where: pullRef(id), Err: err}
	}
	now := observed{replayed: state, recorded: state.pull.Head}
	if now.branch, err = f.tip(state.pull.Branch); err != nil {
		return observed{}, damaged(id, branchRef(state.pull.Branch), err)
	}
	if now.base, err = f.tip(state.pull.Base); err != nil {
		return observed{}, err
	}
	if err := f.settle(&now); err != nil {
		return observed{}, damaged(id, pullRef(id), err)
	}
	if now.moved() {
		now.pull.Head = now.branch
		now.activity.Pushes = append(now.activity.Pushes, forge.Push{Old: now.recorded, New: now.branch})
	}
	return now, nil
}

func (f *Forge) tip(branch string) (tree.Hash, error) {
	h, err := f.repo.Ref(branchRef(branch))
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}, nil
	}
	return h, err
}

// moved reports that the branch is not where the journal says: somebody moved it
// with plain git. A branch that is missing says nothing: the journal keeps the
// commits, and the next push or reopening brings the branch back.
func (o observed) moved() bool {
	return o.pull.State == forge.Open && !o.branch.IsZero() && o.branch != o.recorded
}

// settle finds a merge that was announced but not recorded as done: it happened
// exactly if the commit is on the base branch's first-parent line.
func (f *Forge) settle(now *observed) error {
	if now.pull.State == forge.Merged || now.base.IsZero() {
		return nil
	}
	for _, m := range now.activity.Merges {
		done, err := f.onLine(m.Commit, now.base)
		if err != nil {
			return fmt.Errorf("look for %s on %s: %w", m.Commit.Short(), now.pull.Base, err)
		}
		if done {
			now.pull.State, now.pull.Merge, now.pull.Why = forge.Merged, m.Commit, ""
			now.unrecorded = true
		}
	}
	return nil
}

// onLine walks back from tip until it meets the commit, or the parent that the
// commit would have stood on.
func (f *Forge) onLine(commit, tip tree.Hash) (bool, error) {
	c, err := f.repo.Commit(commit)
	if err != nil || len(c.Parents) == 0 {
		return false, err
	}
	found := false
	err = f.repo.Lineage(tip, func(at gitstore.Commit) (bool, error) {
		found = at.Hash == commit
		return !found && at.Hash != c.Parents[0], nil
	})
	return found, err
}

// catchUp records what happened and the journal does not know: that the branch
// was moved by somebody unknown, or that a merge was cut short after the base
// branch had moved.
func (f *Forge) catchUp(now observed, at time.Time) (decision, error) {
	switch {
	case now.moved():
		ev, err := withActor(journal.Event{
			Kind: evPushed, At: at, Anchors: []tree.Hash{now.branch},
			Note:   "The branch was moved with plain git; who did it is not known.",
			Fields: fields("Head", now.branch.String()),
		}, forge.Actor{}, forge.Open)
		stay := gitstore.RefUpdate{Name: branchRef(now.pull.Branch), Old: now.branch, New: now.branch, Reflog: "assent: adopt"}
		return decision{ev, journal.Moves{Before: []gitstore.RefUpdate{stay}}}, err
	case now.unrecorded:
		ev, err := withActor(journal.Event{Kind: evMerged, At: at, Fields: fields("Commit", now.pull.Merge.String())}, engine, forge.Merged)
		return decision{ev, journal.Moves{After: f.drop(now)}}, err
	}
	return decision{}, nil
}

// damaged says of what cannot be parsed or is missing which pull request it
// concerns; other failures pass as they are.
func damaged(id, where string, err error) error {
	for _, content := range []error{journal.ErrNotJournal, journal.ErrVersion, gitstore.ErrCorrupt, gitstore.ErrNoObject, tree.ErrTooLarge} {
		if errors.Is(err, content) {
			return &forge.Damaged{ID: id, Where: where, Err: err}
		}
	}
	return err
}

// stale turns the store's word for a lost race into the forge's.
func stale(err error) error {
	var s *gitstore.ErrStale
	if errors.As(err, &s) {
		return &forge.ErrStale{Ref: s.Ref, Want: s.Want, Got: s.Got}
	}
	return err
}
