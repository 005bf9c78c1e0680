package propose

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace"
)

// push moves a proposal's branch and updates checkouts of it: the new content must not look like a
// staged reversal by the user. A checkout that cannot follow keeps a note, and the next refresh
// completes it.
func push(ctx context.Context, w *workspace.Workspace, id string, p forge.Push) (forge.Pull, error) {
	pull, err := w.Forge.Push(ctx, id, p)
	if err == nil {
		_, _ = w.Repo.RefreshWorktree(p.Old, p.New)
	}
	return pull, err
}

// checkedOut returns the commit of this clone's checkout of a proposal's branch; zero if it is not
// checked out.
func checkedOut(w *workspace.Workspace, id string) (tree.Hash, error) {
	head, err := w.Repo.Head()
	if err != nil || w.Repo.Bare() || head.Branch != "refs/heads/"+BranchOf(id) {
		return tree.Hash{}, err
	}
	return head.Commit, nil
}

// FromCheckout reads the uncommitted edits of a proposal whose branch is checked out, below the
// given paths or everywhere; ok is false if it is not checked out. Stale files are as in
// FromWorktree.
func FromCheckout(w *workspace.Workspace, id string, only []string) (s Source, ok bool, err error) {
	at, err := checkedOut(w, id)
	if err != nil || at.IsZero() {
		return s, false, err
	}
	s.Branch = "refs/heads/" + BranchOf(id)
	if err := s.addWorktree(w, at); err != nil {
		return s, true, err
	}
	s.keepBelow(only)
	stale, err := RefuseStale(w, s.Edits, only, "assent update "+names.ShellWord(id))
	s.Diagnostics.Add(stale...)
	return s, true, err
}

// own records commits that this session made on a proposal's branch as its push; otherwise their
// pusher would be unknown. They are its own if they follow the recorded head, no remote has them,
// and author and committer are Git's user here. took reports whether there were any.
func own(ctx context.Context, cur workspace.Session, id string, by forge.Actor) (took bool, err error) {
	at, err := cur.Repo.Ref("refs/heads/" + BranchOf(id))
	if errors.Is(err, gitstore.ErrNoRef) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	activity, err := cur.Forge.Activity(ctx, id)
	if err != nil || len(activity.Pushes) < 2 {
		return false, err
	}
	last, before := activity.Pushes[len(activity.Pushes)-1], activity.Pushes[len(activity.Pushes)-2].New
	if last.By != (forge.Actor{}) || !last.At.IsZero() || last.New != at {
		return false, nil
	}
	if mine, err := ownCommits(cur.Workspace, cur.Main, before, at); err != nil || !mine {
		return false, err
	}
	came, err := recorded(cur, Request{By: by})
	if err != nil {
		return false, err
	}
	_, err = cur.Forge.Push(ctx, id, forge.Push{By: by, Old: before, New: at, At: cur.Now(), Provenance: came, Note: "committed in this clone"})
	return err == nil, err
}

// TakeOwn records this session's commits on the branches of open proposals as its pushes,
// before they are published or judged.
func TakeOwn(ctx context.Context, cur workspace.Session, by forge.Actor, ids ...string) error {
	for _, id := range ids {
		var damaged *forge.Damaged
		_, err := own(ctx, cur, id, by)
		if err != nil && !errors.Is(err, forge.ErrNotFound) && !errors.As(err, &damaged) {
			return err
		}
	}
	return nil
}

// Unpublished lists proposals whose local branch differs from the remote's.
func Unpublished(w *workspace.Workspace, from string) (ids []string, err error) {
	prefix := "refs/heads/" + forge.BranchPrefix
	here, err := w.Repo.Refs(prefix)
	for _, ref := range here {
		there, rerr := w.Repo.Ref(remote.Tracking(from, ref.Name))
		if rerr != nil && !errors.Is(rerr, gitstore.ErrNoRef) {
			return nil, rerr
		}
		if there != ref.Hash {
			ids = append(ids, strings.TrimPrefix(ref.Name, prefix))
		}
	}
	return ids, err
}

// ownCommits reports whether the commits from one to the other, without those of main that a
// merge brought, are all this session's, and here alone.
func ownCommits(w *workspace.Workspace, main, from, to tree.Hash) (bool, error) {
	_, me := w.Repo.User()
	follows, err := w.Repo.IsAncestor(from, to)
	if err != nil || !follows || me == "" {
		return false, err
	}
	commits, err := w.Repo.Between(from, to)
	if err != nil {
		return false, err
	}
	onMain, err := w.Repo.Between(from, main)
	if err != nil {
		return false, err
	}
	mine := map[tree.Hash]bool{}
	for _, o := range commits {
		mine[o.Hash] = true
	}
	for _, o := range onMain {
		delete(mine, o.Hash)
	}
	for h := range mine {
		c, err := w.Repo.Commit(h)
		if err != nil || !strings.EqualFold(c.Author.Email, me) || !strings.EqualFold(c.Committer.Email, me) {
			return false, err
		}
	}
	for _, prefix := range []string{"refs/remotes/", remote.TrackingPrefix} {
		refs, err := w.Repo.Refs(prefix)
		if err != nil {
			return false, err
		}
		for _, ref := range refs {
			if mine[ref.Hash] {
				return false, nil
			}
		}
	}
	return true, nil
}
