package local

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

// Push implements forge.Forge. The branch moves before the journal records it. An
// interruption in between reads as a push by an unknown actor, which can only require
// more approval, until the same push is repeated.
func (f *Forge) Push(ctx context.Context, id string, push forge.Push) (forge.Pull, error) {
	if err := push.Check(); err != nil {
		return forge.Pull{}, wrap("push to", id, err)
	}
	if !forge.IsID(id) {
		return f.Get(ctx, id)
	}
	again := false
	err := f.appendTo(id, func(now observed) (decision, error) {
		again = now.moved() && now.recorded == push.Old && now.branch == push.New
		if !again {
			return decision{}, nil
		}
		return pushed(now, push)
	})
	if err == nil && !again {
		err = f.change(id, push.At, func(now observed) (decision, error) {
			if err := mustBeOpen(now.pull); err != nil {
				return decision{}, err
			}
			if now.recorded == push.New {
				branch, err := f.bring(now.pull.Branch, push.New)
				if err != nil {
					return decision{}, err
				}
				return decision{}, f.repo.Update(branch...)
			}
			if now.recorded != push.Old {
				return decision{}, &forge.ErrStale{Ref: branchRef(now.pull.Branch), Want: push.Old, Got: now.recorded}
			}
			return pushed(now, push)
		})
	}
	if err != nil {
		return forge.Pull{}, wrap("push to", id, err)
	}
	return f.Get(ctx, id)
}

// pushed returns the event of a push and the move of the branch from its current tip to
// the new head.
func pushed(now observed, push forge.Push) (decision, error) {
	engine := ""
	if push.Engine {
		engine = "true"
	}
	ev, err := withActor(journal.Event{
		Kind: evPushed, At: push.At, Note: push.Note, Anchors: []tree.Hash{push.New},
		Fields: fields("Head", push.New.String(), "Engine", engine),
		Files:  files(provenanceFile, push.Provenance),
	}, push.By, forge.Open)
	move := gitstore.RefUpdate{Name: branchRef(now.pull.Branch), Old: now.branch, New: push.New, Reflog: "assent: push " + now.pull.ID}
	return decision{ev, journal.Moves{Before: []gitstore.RefUpdate{move}}}, err
}
