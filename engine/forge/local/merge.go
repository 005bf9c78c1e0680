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

// Merge implements forge.Forge in steps that can be interrupted between: the journal
// announces the commit with its attestation; then, in one transaction, the base
// branch moves to it, the journal records the merge, and the branch is removed.
// The base branch decides whether it is merged (see settle). An interruption after
// the first step leaves an announcement without effect; one after the base branch
// moved leaves a merge that every reader sees. Package forgetest tests both.
func (f *Forge) Merge(_ context.Context, id string, m forge.Merge) (tree.Hash, error) {
	if err := m.Check(); err != nil {
		return tree.Hash{}, wrap("merge", id, err)
	}
	merged, err := (&merging{f.record, id, m}).run()
	return merged, wrap("merge", id, err)
}

// merging is one merge being made.
type merging struct {
	record record
	id     string
	forge.Merge
}

func (m *merging) run() (tree.Hash, error) {
	now, err := m.record.read(m.id, nil)
	switch {
	case err != nil:
		return tree.Hash{}, err
	case now.pull.State == forge.Merged:
		return now.pull.Merge, m.complete()
	case !m.Made.IsZero():
		return m.adopt()
	}
	if err := m.fresh(now); err != nil {
		return tree.Hash{}, err
	}
	repo := m.record.repo
	if there, err := repo.Snapshot(m.Tree); err != nil || there.Tree() != m.Tree {
		return tree.Hash{}, errors.Join(fmt.Errorf("%w: %s is not a tree", forge.ErrRequest, m.Tree), err)
	}
	commit, err := repo.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []tree.Hash{m.Base, m.Head},
		Author: person(m.Merge), Committer: person(m.Merge), Message: forge.CleanTitle(m.Title) + "\n\n" + m.Message,
	}, nil)
	if err != nil {
		return tree.Hash{}, fmt.Errorf("write the merge commit: %w", err)
	}
	merged, err := m.announce(commit)
	if err == nil && merged.IsZero() {
		merged, err = m.swap(commit)
	}
	return merged, err
}

// complete does what an interrupted merge left undone.
func (m *merging) complete() error {
	return m.record.change(m.id, m.At, func(observed) (decision, error) { return decision{}, nil })
}

func person(m forge.Merge) gitstore.Person {
	email := m.By.Email
	if email == "" {
		email = "assent@assent.invalid"
	}
	return gitstore.Person{Name: byLine(m.By), Email: email, When: m.At}
}

// announce records that commit is about to become the base branch's tip. If another process
// merged the pull request meanwhile, it returns that commit.
func (m *merging) announce(commit tree.Hash) (tree.Hash, error) {
	c, err := m.record.repo.Commit(commit)
	if err != nil {
		return tree.Hash{}, err
	}
	fresh := m.fresh
	if !m.Made.IsZero() {
		fresh = m.freshMade
	}
	var merged tree.Hash
	err = m.record.change(m.id, m.At, func(now observed) (decision, error) {
		if merged = now.pull.Merge; !merged.IsZero() {
			return decision{}, nil
		}
		if err := fresh(now); err != nil {
			return decision{}, err
		}
		if err := sameReviews(now, m.Merge); err != nil {
			return decision{}, err
		}
		for _, a := range now.activity.Merges { // the same, announced before an interruption
			if a.Commit == commit {
				return decision{}, nil
			}
		}
		//defence:merge-upon-judged-advice
		if len(now.activity.Advice) != m.Advice {
			return decision{}, &forge.ErrStale{Ref: pullRef(m.id), Want: m.Head, Got: m.Head}
		}
		evidence := files(attestationFile, m.Attestation)
		if len(m.Signature) > 0 {
			evidence[attestationSignatureFile] = m.Signature
		}
		ev, err := withActor(journal.Event{
			Kind: evMerging, At: m.At, Anchors: anchors(m.Merge, c),
			Fields: fields("Commit", commit.String(), "Tree", m.Tree.String(), "Head", m.Head.String(), "Base-Commit", m.Base.String()),
			Files:  evidence,
		}, m.By, forge.Open)
		return decision{event: ev}, err
	})
	return merged, err
}

// fresh refuses a merge if head or base moved.
func (m *merging) fresh(now observed) error {
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

// sameReviews refuses a merge if signed reviews or results were added since it was judged, even
// after the announcement: an approval can be revoked until main moves.
func sameReviews(now observed, m forge.Merge) error {
	stale := &forge.ErrStale{Ref: pullRef(now.pull.ID), Want: m.Head, Got: m.Head}
	//defence:merge-upon-judged-reviews
	if forge.SignedReviews(now.activity.Reviews) != m.Reviews {
		return stale
	}
	//defence:merge-upon-judged-results
	if len(now.activity.Results) != m.Results {
		return stale
	}
	return nil
}

// swap moves the base branch and records the merge. The base branch moves first, so that the
// journal never records a merge that did not happen.
func (m *merging) swap(commit tree.Hash) (tree.Hash, error) {
	merged := commit
	err := m.record.change(m.id, m.At, func(now observed) (decision, error) {
		if now.pull.State == forge.Merged {
			merged = now.pull.Merge
			return decision{}, nil
		}
		if err := m.fresh(now); err != nil {
			return decision{}, err
		}
		if err := sameReviews(now, m.Merge); err != nil {
			return decision{}, err
		}
		ev, err := withActor(journal.Event{Kind: evMerged, At: m.At, Fields: fields("Commit", commit.String())}, m.By, forge.Merged)
		move := gitstore.RefUpdate{Name: branchRef(now.pull.Base), Old: m.Base, New: commit, Reflog: "assent: merge " + m.id}
		return decision{ev, journal.Moves{Before: []gitstore.RefUpdate{move}, After: m.record.drop(now)}}, err
	})
	return merged, err
}
