package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Merge implements forge.Forge in steps that can be cut between: the journal
// announces the commit with its attestation; then, in one transaction, the base
// branch moves to it, the journal records it as done, and the branch goes.
// Whether it is merged is decided by the base branch (see settle): a cut after
// the first step leaves an announcement that nothing heeds, and a cut after the
// base branch moved leaves a merge that every reader sees. The tests of cuts are
// in package forgetest.
func (f *Forge) Merge(_ context.Context, id string, m forge.Merge) (tree.Hash, error) {
	if err := m.Check(); err != nil {
		return tree.Hash{}, wrap("merge", id, err)
	}
	now, err := f.read(id)
	if err != nil {
		return tree.Hash{}, wrap("merge", id, err)
	}
	if now.pull.State == forge.Merged { // so that what a cut left undone is done
		return now.pull.Merge, wrap("merge", id, f.change(id, m.At, func(observed) (decision, error) { return decision{}, nil }))
	}
	if !m.Made.IsZero() {
		merged, err := f.record(id, m)
		return merged, wrap("merge", id, err)
	}
	if err := fresh(now, m); err != nil {
		return tree.Hash{}, wrap("merge", id, err)
	}
	if there, err := f.repo.Snapshot(m.Tree); err != nil || there.Tree() != m.Tree {
		return tree.Hash{}, wrap("merge", id, errors.Join(fmt.Errorf("%w: %s is not a tree", forge.ErrRequest, m.Tree), err))
	}
	commit, err := f.repo.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []tree.Hash{m.Base, m.Head},
		Author: person(m), Committer: person(m), Message: forge.CleanTitle(m.Title) + "\n\n" + m.Message,
	}, nil)
	if err != nil {
		return tree.Hash{}, wrap("merge", id, fmt.Errorf("write the merge commit: %w", err))
	}
	merged, err := f.announce(id, m, commit)
	if err == nil && merged.IsZero() {
		merged, err = f.swap(id, m, commit)
	}
	return merged, wrap("merge", id, err)
}

func person(m forge.Merge) gitstore.Person {
	email := m.By.Email
	if email == "" {
		email = "assent@assent.invalid"
	}
	return gitstore.Person{Name: byLine(m.By), Email: email, When: m.At}
}

// announce records that commit is about to become the base branch's tip. When
// somebody else merged it meanwhile, it returns their commit.
func (f *Forge) announce(id string, m forge.Merge, commit tree.Hash) (tree.Hash, error) {
	c, err := f.repo.Commit(commit)
	if err != nil {
		return tree.Hash{}, err
	}
	fresh := fresh
	if !m.Made.IsZero() {
		fresh = f.freshMade
	}
	var merged tree.Hash
	err = f.change(id, m.At, func(now observed) (decision, error) {
		if merged = now.pull.Merge; !merged.IsZero() {
			return decision{}, nil
		}
		if err := fresh(now, m); err != nil {
			return decision{}, err
		}
		if err := sameReviews(now, m); err != nil {
			return decision{}, err
		}
		for _, a := range now.activity.Merges { // the same, announced before a cut
			if a.Commit == commit {
				return decision{}, nil
			}
		}
		//defence:merge-upon-judged-advice
		if len(now.activity.Advice) != m.Advice {
			return decision{}, &forge.ErrStale{Ref: pullRef(id), Want: m.Head, Got: m.Head}
		}
		evidence := files(attestationFile, m.Attestation)
		if len(m.Signature) > 0 {
			evidence[attestationSignatureFile] = m.Signature
		}
		ev, err := withActor(journal.Event{
			Kind: evMerging, At: m.At, Anchors: anchors(m, c),
			Fields: fields("Commit", commit.String(), "Tree", m.Tree.String(), "Head", m.Head.String(), "Base-Commit", m.Base.String()),
			Files:  evidence,
		}, m.By, forge.Open)
		return decision{event: ev}, err
	})
	return merged, err
}

// fresh refuses a merge of what is not there any more.
func fresh(now observed, m forge.Merge) error {
	if err := mustBeOpen(now.pull); err != nil {
		return err
	}
	//defence:merge-of-judged-head
	if now.pull.Head != m.Head {
		return &forge.ErrStale{Ref: branchRef(now.pull.Branch), Want: m.Head, Got: now.pull.Head}
	}
	//defence:merge-upon-judged-main
	if now.base != m.Base {
		return &forge.ErrStale{Ref: branchRef(now.pull.Base), Want: m.Base, Got: now.base}
	}
	return nil
}

// sameReviews refuses a merge about which somebody decided since it was judged, also where
// it was announced already: who takes an approval back before main moved has to be heard.
func sameReviews(now observed, m forge.Merge) error {
	//defence:merge-upon-judged-reviews
	if forge.SignedReviews(now.activity.Reviews) != m.Reviews {
		return &forge.ErrStale{Ref: pullRef(now.pull.ID), Want: m.Head, Got: m.Head}
	}
	return nil
}

// swap moves the base branch and records the merge as done. The base branch
// comes first, so that the journal never says "merged" of something that is not.
func (f *Forge) swap(id string, m forge.Merge, commit tree.Hash) (tree.Hash, error) {
	merged := commit
	err := f.change(id, m.At, func(now observed) (decision, error) {
		if now.pull.State == forge.Merged {
			merged = now.pull.Merge
			return decision{}, nil
		}
		if err := fresh(now, m); err != nil {
			return decision{}, err
		}
		if err := sameReviews(now, m); err != nil {
			return decision{}, err
		}
		ev, err := withActor(journal.Event{Kind: evMerged, At: m.At, Fields: fields("Commit", commit.String())}, m.By, forge.Merged)
		move := gitstore.RefUpdate{Name: branchRef(now.pull.Base), Old: m.Base, New: commit, Reflog: "assent: merge " + id}
		return decision{ev, journal.Moves{Before: []gitstore.RefUpdate{move}, After: f.drop(now)}}, err
	})
	return merged, err
}
