package remote

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// BoundPrefix begins the refs that keep the last main of a remote that moved back; the remote's name
// follows. Git fetches nothing to them.
const BoundPrefix = "refs/assent-aside/seen/"

// mainRef is the branch of a remote that may only move forward.
const mainRef = "refs/heads/main"

// Bound returns the last main of a remote that its main does not descend from since: the remote was
// rolled back or rewritten. It is zero if that never happened, or main was restored.
func Bound(r *gitstore.Repo, name string) (tree.Hash, error) { return refOrZero(r, BoundPrefix+name) }

func refOrZero(r *gitstore.Repo, ref string) (tree.Hash, error) {
	h, err := r.Ref(ref)
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}, nil
	}
	return h, err
}

// lastMain returns what main has to descend from after a fetch, zero if it was never fetched.
func lastMain(r *gitstore.Repo, name string) (tree.Hash, error) {
	bound, err := Bound(r, name)
	if err != nil || !bound.IsZero() {
		return bound, err
	}
	return refOrZero(r, Tracking(name, mainRef))
}

// keepBound keeps a main that was fetched earlier until main descends from it again. A fetch
// overwrites the tracking ref, so the next one would not know that main moved back.
func keepBound(r *gitstore.Repo, name string, before tree.Hash) error {
	if _, err := r.Passable(before); before.IsZero() || errors.Is(err, gitstore.ErrNoObject) { // it was lost here
		return nil
	}
	now, err := refOrZero(r, Tracking(name, mainRef))
	if err != nil {
		return err
	}
	descends := false
	if !now.IsZero() {
		if descends, err = r.IsAncestor(before, now); err != nil && !gitstore.IsContent(err) {
			return err
		}
	}
	bound, err := Bound(r, name)
	if err != nil || descends == bound.IsZero() {
		return err
	}
	kept := gitstore.RefUpdate{Name: BoundPrefix + name, Old: bound, New: before, Reflog: "assent: main of the remote moved back"}
	if descends {
		kept.New = tree.Hash{}
	}
	//defence:a-rolled-back-main-is-remembered
	err = r.Update(kept)
	if err != nil {
		return fmt.Errorf("keep the last main of %s: %w", name, err)
	}
	return nil
}
