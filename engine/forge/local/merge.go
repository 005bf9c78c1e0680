package local

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/tree"
)

// Merge implements forge.Forge in two steps that can be cut between: the journal
// announces the commit with its attestation, then the base branch moves to it.
// Whether it is merged is decided by the base branch alone (see settled), so a
// kill after the first step leaves an announcement that nothing heeds, and a kill
// after the second a merge that every reader sees.
func (f *Forge) Merge(_ context.Context, id string, m forge.Merge) (tree.Hash, error) {
	state, err := f.read(id)
	if err != nil {
		return tree.Hash{}, wrap("merge", id, err)
	}
	if state.pull.State == forge.Merged {
		return state.pull.Merge, nil
	}
	commit, err := f.repo.WriteCommit(gitstore.Commit{
		Tree: m.Tree, Parents: []tree.Hash{m.Base, m.Head},
		Author: person(m), Committer: person(m), Message: m.Title + "\n\n" + m.Message,
	}, nil)
	if err != nil {
		return tree.Hash{}, wrap("merge", id, fmt.Errorf("write the merge commit: %w", err))
	}
	if err := f.announce(id, m, commit); err != nil {
		return tree.Hash{}, wrap("merge", id, stale(err))
	}
	merged, err := f.swap(id, m, commit)
	return merged, wrap("merge", id, stale(err))
}

func person(m forge.Merge) gitstore.Person {
	email := m.By.Email
	if email == "" {
		email = m.By.String() + "@assent.invalid"
	}
	return gitstore.Person{Name: m.By.String(), Email: email, When: m.At}
}

// announce records that commit is about to become the base branch's tip.
func (f *Forge) announce(id string, m forge.Merge, commit tree.Hash) error {
	return f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if err := f.fresh(state, m); err != nil {
			return nil, nil, err
		}
		ev, err := withActor(journal.Event{
			Kind: evMerging, At: m.At, Anchors: []tree.Hash{commit},
			Fields: map[string]string{"Commit": commit.String(), "Tree": m.Tree.String(), "Head": m.Head.String(), "Base-Commit": m.Base.String()},
			Files:  map[string][]byte{"attestation.json": m.Attestation},
		}, m.By)
		return ev, nil, err
	})
}

func (f *Forge) fresh(state folded, m forge.Merge) error {
	if err := mustBeOpen(state.pull); err != nil {
		return err
	}
	if state.pull.Head != m.Head {
		return &forge.ErrStale{Ref: branchRef(state.pull.Branch), Want: m.Head, Got: state.pull.Head}
	}
	tip, err := f.repo.Ref(branchRef(state.pull.Base))
	if err == nil && tip != m.Base {
		return &forge.ErrStale{Ref: branchRef(state.pull.Base), Want: m.Base, Got: tip}
	}
	return err
}

// swap moves the base branch and records the merge as done. The base branch is
// listed first, so that the journal never says "merged" of something that is not.
func (f *Forge) swap(id string, m forge.Merge, commit tree.Hash) (tree.Hash, error) {
	merged := commit
	err := f.change(id, func(state folded) (*journal.Event, []gitstore.RefUpdate, error) {
		if state.pull.State == forge.Merged {
			merged = state.pull.Merge
			return nil, nil, nil
		}
		if err := f.fresh(state, m); err != nil {
			return nil, nil, err
		}
		ev, err := withActor(journal.Event{Kind: evMerged, At: m.At, Fields: fields("Commit", commit.String())}, m.By)
		updates := []gitstore.RefUpdate{{
			Name: branchRef(state.pull.Base), Old: m.Base, New: commit, Reflog: "assent: merge " + id,
		}}
		return ev, append(updates, f.dropBranch(state.pull)...), err
	})
	return merged, err
}
