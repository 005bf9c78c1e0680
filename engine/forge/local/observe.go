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

// observed is the state of a pull request by its journal and its branches.
type observed struct {
	replayed
	// recorded is the head in the journal; pull.Head is the tip of the branch.
	recorded tree.Hash
	// unrecorded reports a merge that the journal lacks.
	unrecorded bool
	// branch is the tip of the branch, zero without one.
	branch tree.Hash
	// base is the tip of the base branch, zero without one.
	base tree.Hash
}

// observe replays events and reads the branches.
func (r record) observe(id string, events []journal.Event) (observed, error) {
	if len(events) == 0 {
		return observed{}, fmt.Errorf("%s: %w", id, forge.ErrNotFound)
	}
	state, err := r.replay(id, events)
	if err != nil {
		return observed{}, &forge.Damaged{ID: id, Where: pullRef(id), Err: err}
	}
	now := observed{replayed: state, recorded: state.pull.Head}
	if now.branch, err = r.tip(state.pull.Branch); err != nil {
		return observed{}, damaged(id, branchRef(state.pull.Branch), err)
	}
	if now.base, err = r.tip(state.pull.Base); err != nil {
		return observed{}, err
	}
	if err := r.settle(&now); err != nil {
		return observed{}, damaged(id, pullRef(id), err)
	}
	if now.moved() {
		now.pull.Head = now.branch
		now.activity.Pushes = append(now.activity.Pushes, forge.Push{Old: now.recorded, New: now.branch})
	}
	return now, nil
}

func (r record) tip(branch string) (tree.Hash, error) {
	h, err := r.repo.Ref(branchRef(branch))
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}, nil
	}
	return h, err
}

// moved reports that the branch differs from the journal: plain git moved it. A missing
// branch does not count: the journal keeps the commits, and the next push or reopening
// restores the branch.
func (o observed) moved() bool {
	return o.pull.State == forge.Open && !o.branch.IsZero() && o.branch != o.recorded
}

// settle finds an announced merge whose completion is not recorded: it happened if and only
// if main has the proposal by that commit (see mainline).
func (r record) settle(now *observed) error {
	if now.pull.State == forge.Merged || now.base.IsZero() {
		return nil
	}
	for _, m := range now.activity.Merges {
		done, err := r.merged(now.pull.ID, m.Commit)
		if err != nil {
			return fmt.Errorf("look for %s on %s: %w", m.Commit.Short(), now.pull.Base, err)
		}
		if done {
			now.pull.State, now.pull.Merge, now.pull.Claimed, now.pull.Why = forge.Merged, m.Commit, tree.Hash{}, ""
			now.unrecorded = true
		}
	}
	return nil
}

// catchUp records the facts that the journal lacks: a move of the branch by plain git, or a
// merge that was interrupted after the base branch had moved.
func (r record) catchUp(now observed, at time.Time) (decision, error) {
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
		return decision{ev, journal.Moves{After: r.drop(now)}}, err
	}
	return decision{}, nil
}

// damaged adds the pull request to errors about unreadable or missing content; other errors
// pass unchanged.
func damaged(id, where string, err error) error {
	//defence:damaged-journals-stand-alone
	if errors.Is(err, journal.ErrNotJournal) || errors.Is(err, journal.ErrVersion) || gitstore.IsContent(err) {
		return &forge.Damaged{ID: id, Where: where, Err: err}
	}
	return err
}

// stale translates the store's error for a lost race.
func stale(err error) error {
	var s *gitstore.ErrStale
	if errors.As(err, &s) {
		return &forge.ErrStale{Ref: s.Ref, Want: s.Want, Got: s.Got}
	}
	return err
}
