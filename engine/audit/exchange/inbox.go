package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// Waiting is a branch in the inbox of a remote.
type Waiting struct {
	// Ref is its full name, on the remote and here.
	Ref    string
	Commit tree.Hash
}

// TakeInbox copies the branches in a remote's inbox to the local inbox, and deletes local
// ones that were deleted there. A local branch of the same name with other content stays,
// and the remote's waits until that is processed. Anyone may push to an inbox, so a
// branch that cannot be copied is a problem of its own and blocks no other.
func TakeInbox(ctx context.Context, w *workspace.Workspace, from string) (taken []Waiting, problems []error, err error) {
	before, err := inboxOf(w.Repo, from)
	if err != nil {
		return nil, nil, err
	}
	var partly *remote.Partly
	//defence:inbox-branches-stand-alone
	if err := remote.FetchInbox(ctx, w.Repo, from); errors.As(err, &partly) {
		problems = append(problems, partly)
	} else if err != nil {
		return nil, nil, fmt.Errorf("fetch the inbox of %s: %w", from, err)
	}
	there, err := inboxOf(w.Repo, from)
	if err != nil {
		return nil, nil, err
	}
	move := func(m gitstore.RefUpdate) bool {
		if err := w.Repo.Update(m); err != nil {
			problems = append(problems, fmt.Errorf("%s of %s: %w", m.Name, from, err))
			return false
		}
		return true
	}
	for ref, commit := range there {
		here, err := refOrZero(w.Repo, ref)
		if err != nil {
			return nil, nil, err
		}
		mayMove := here.IsZero() || here == before[ref]
		if here == commit || mayMove && move(gitstore.RefUpdate{Name: ref, Old: here, New: commit, Reflog: "assent: pull"}) {
			taken = append(taken, Waiting{ref, commit})
		}
	}
	for ref, commit := range before {
		if here, err := refOrZero(w.Repo, ref); err != nil {
			return nil, nil, err
		} else if there[ref].IsZero() && here == commit {
			move(gitstore.RefUpdate{Name: ref, Old: here, Reflog: "assent: taken back"})
		}
	}
	return taken, problems, nil
}

// ClearInbox deletes processed branches from a remote's inbox, unless they changed.
func ClearInbox(ctx context.Context, w *workspace.Workspace, from string, done []Waiting) error {
	if len(done) == 0 {
		return nil
	}
	_, err := remote.Push(ctx, w.Repo, from, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		var moves []remote.Move
		for _, d := range done {
			if there[d.Ref] == d.Commit {
				moves = append(moves, remote.Move{Ref: d.Ref, Old: d.Commit})
			}
		}
		return moves, nil
	})
	if lost(err) != nil { // another clone was faster; the next look reports it
		return nil
	}
	return err
}

// inboxOf returns the inbox of a remote as of the last fetch.
func inboxOf(repo *gitstore.Repo, from string) (map[string]tree.Hash, error) {
	prefix := remote.Tracking(from, "refs/")
	refs, err := repo.Refs(remote.Tracking(from, remote.InboxPrefix))
	if err != nil {
		return nil, err
	}
	out := map[string]tree.Hash{}
	for _, r := range refs {
		out["refs/"+strings.TrimPrefix(r.Name, prefix)] = r.Hash
	}
	return out, nil
}
