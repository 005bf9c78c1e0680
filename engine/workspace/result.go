package workspace

import (
	"errors"
	"fmt"
	"path"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Result is the outcome of merging a head into main.
type Result struct {
	Main      tree.Hash // the commit that is merged into
	MergeBase tree.Hash // commit
	Tree      tree.Hash
	Conflicts []tree.Conflict
	// RolesAgain reports whether a rebase settles the conflict in roles.yaml.
	RolesAgain bool
}

// ErrUnrelated means that a branch was not made from this repository.
var ErrUnrelated = errors.New("they have no history in common, so the branch was not made from this repository")

// Result computes the tree of merging head into main. The learned lists of
// SOUL.md files merge by entry; any other file that both sides changed differently
// is a conflict. The tree is a function of the two commits alone.
func (w *Workspace) Result(main, head tree.Hash) (Result, error) {
	base, err := w.Repo.MergeBase(main, head)
	if err != nil {
		return Result{}, fmt.Errorf("merge base of %s and %s: %w", main.Short(), head.Short(), err)
	}
	if base.IsZero() {
		return Result{}, fmt.Errorf("%s and main: %w", head.Short(), ErrUnrelated)
	}
	views := make([]tree.View, 3)
	for i, h := range []tree.Hash{base, main, head} {
		if views[i], err = w.Repo.Snapshot(h); err != nil {
			return Result{}, fmt.Errorf("read %s: %w", h.Short(), err)
		}
	}
	var rolesAgain bool
	edits, conflicts, err := tree.Merge(views[0], views[1], views[2], func(c tree.Conflict, base, ours, theirs []byte) ([]byte, bool) {
		if c.Path == policy.RolesFile {
			_, rolesAgain = policy.AddRolesAgain(base, theirs, ours)
		}
		return mergeSoul(c, base, ours, theirs)
	})
	if err != nil {
		return Result{}, fmt.Errorf("merge %s into %s: %w", head.Short(), main.Short(), err)
	}
	tip, err := w.Repo.Commit(main)
	if err != nil {
		return Result{}, err
	}
	out := Result{Main: main, MergeBase: base, Conflicts: conflicts, Tree: tip.Tree, RolesAgain: rolesAgain}
	if len(conflicts) > 0 {
		return out, nil
	}
	out.Tree, err = w.Repo.WriteTree(tip.Tree, edits)
	return out, err
}

// mergeSoul settles a conflict that is about learned entries only.
func mergeSoul(c tree.Conflict, base, ours, theirs []byte) ([]byte, bool) {
	if base == nil || ours == nil || theirs == nil || path.Base(c.Path) != "SOUL.md" {
		return nil, false
	}
	merged, ok, diags := soul.MergeLearned(base, ours, theirs)
	return merged, ok && !diags.HasErrors()
}

// ByHand says how to settle with git the files that main also changed.
func ByHand(id string) string {
	return "with edits here, git stash first; git switch " + forge.BranchPrefix + names.ShellWord(id) +
		" && git merge refs/heads/main, settle and commit it; then assent update " + names.ShellWord(id) + " && git switch main"
}

// Settle returns the commands that resolve a proposal's conflicts with main: a rebase makes
// section edits and additions to the roles again, and git settles other files.
func (r Result) Settle(id string, p proposal.Proposal) string {
	for _, c := range r.Conflicts {
		if c.Path == policy.RolesFile && r.RolesAgain {
			continue
		}
		if p.Soul == nil || c.Path != "soul/"+p.Soul.Agent+"/SOUL.md" {
			return ByHand(id)
		}
	}
	return "assent rebase " + names.ShellWord(id)
}
