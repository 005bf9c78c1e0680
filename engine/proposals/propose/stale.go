package propose

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// The invariant: no edit of a worktree's file reverts others' changes that came to this file after
// the edit began, unless the file is named.

// RefuseStale finds edits from the worktree that lack changes which the checked-out branch brought
// to their files (gitstore.Stale). command is the command that names a file.
func RefuseStale(w *workspace.Workspace, edits []tree.Edit, named []string, command string) (diag.List, error) {
	var diags diag.List
	stale, err := w.Repo.Stale()
	for _, p := range stale {
		if slices.ContainsFunc(edits, func(e tree.Edit) bool { return e.Path == p }) && !slices.Contains(named, p) {
			refuseFile(&diags, p, "bring in the lines that git diff shows as removed", command)
		}
	}
	return diags, err
}

// refuseStale finds stale edits of a source. If the branch has no commits of its own, its edits
// are proposed upon the commit in force, which may be ahead of the checked-out one.
func (s *Source) refuseStale(cur workspace.Session, checkedOut tree.Hash, named []string, command string) error {
	stale, err := RefuseStale(cur.Workspace, s.Edits, named, command)
	s.Diagnostics.Add(stale...)
	if err != nil || !s.Parent.IsZero() || checkedOut == cur.InForce {
		return err
	}
	if behind, err := cur.Repo.IsAncestor(checkedOut, cur.InForce); err != nil || !behind {
		return err
	}
	before, err := cur.Repo.Snapshot(checkedOut)
	if err != nil {
		return err
	}
	for _, e := range s.Edits {
		lacks, err := lacksOf(before, cur.View, e)
		if err != nil {
			return err
		}
		if lacks && !slices.Contains(named, e.Path) {
			refuseFile(&s.Diagnostics, e.Path, "git stash; git merge refs/heads/main; git stash pop", command)
		}
	}
	return nil
}

// RefuseOver finds edits for an open proposal that revert others' pushes since this session's last
// one. For files from outside the worktree it only warns: their base is unknown.
func RefuseOver(ctx context.Context, cur workspace.Session, pull forge.Pull, edits []tree.Edit, named []string, worktree bool) (diag.List, error) {
	var diags diag.List
	seen, err := lastSeen(ctx, cur, pull)
	if err != nil || seen == pull.Head {
		return diags, err
	}
	before, err := cur.Repo.Snapshot(seen)
	if err != nil {
		return diags, err
	}
	head, err := cur.Repo.Snapshot(pull.Head)
	if err != nil {
		return diags, err
	}
	for _, e := range edits {
		lacks, err := lacksOf(before, head, e)
		switch {
		case err != nil:
			return diags, err
		case !lacks || slices.Contains(named, e.Path):
		case worktree:
			refuseFile(&diags, e.Path, "git switch "+names.ShellWord(pull.Branch)+" and edit it there", "assent update "+names.ShellWord(pull.ID))
		default:
			diags.Warnf(RuleOverwrites, diag.Pos{File: e.Path}, "compare: assent diff "+names.ShellWord(pull.ID)+"; put back what shall stay with another assent update",
				"others changed the file in the proposal, and this takes that back")
		}
	}
	return diags, nil
}

// lastSeen returns the newest version of a proposal that this session pushed; without one, the
// point where the proposal left main. The engine's additions count as seen.
func lastSeen(ctx context.Context, cur workspace.Session, pull forge.Pull) (tree.Hash, error) {
	me, err := Session(cur.Workspace)
	if err != nil {
		return tree.Hash{}, err
	}
	activity, err := cur.Forge.Activity(ctx, pull.ID)
	if err != nil {
		return tree.Hash{}, err
	}
	var seen tree.Hash
	for _, p := range activity.Pushes {
		rec, err := provenance.Decode(p.Provenance)
		mine := err == nil && rec.Session == me && !me.IsZero()
		if mine || p.Engine && p.Old == seen {
			seen = p.New
		}
	}
	if seen.IsZero() {
		return cur.Repo.MergeBase(cur.Main, pull.Head)
	}
	return seen, nil
}

// lacksOf reports whether an edit based on one view lacks changes of another.
func lacksOf(before, now tree.View, e tree.Edit) (bool, error) {
	was, werr := readOrNil(before, e.Path)
	there, terr := readOrNil(now, e.Path)
	have := e.Content
	if have == nil && !e.Remove {
		have = []byte{}
	}
	return gitstore.Lacks(was, there, have), errors.Join(werr, terr)
}

// readOrNil reads a file; nil without one.
func readOrNil(v tree.View, path string) ([]byte, error) {
	text, err := v.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return append([]byte{}, text...), err
}

func refuseFile(diags *diag.List, path, bring, command string) {
	diags.Errorf(RuleConflict, diag.Pos{File: path}, bring+", or name the file to propose it as it is: "+command+" "+path,
		"others changed the file after you had edited it, and your file lacks that")
}
