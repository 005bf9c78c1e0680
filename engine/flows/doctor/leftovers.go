package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// checkLeftovers finds what a merge left that was cut short after main had moved: the
// proposal's branch, and perhaps a journal that does not say how it ended.
func checkLeftovers(e *examination) {
	branches, err := e.w.Repo.Refs("refs/heads/" + forge.BranchPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil { // those are told with the others
		e.broke("leftovers", err)
		return
	}
	left := 0
	for _, b := range branches {
		id := strings.TrimPrefix(b.Name, "refs/heads/"+forge.BranchPrefix)
		pull, err := e.w.Record.Get(e.ctx, id)
		if err != nil || pull.State != forge.Merged {
			continue // damaged ones are told by proposals, and others may keep theirs
		}
		left++
		name := strings.TrimPrefix(b.Name, "refs/heads/")
		if in, err := e.w.Repo.IsAncestor(b.Hash, e.cur.Main); err != nil || !in {
			e.warn("leftovers", "assent propose what it holds beyond the merge, or git branch -D "+names.ForShell(name),
				"the branch of %s is still there although it is merged, and holds commits that main has not", id)
			continue
		}
		e.warn("leftovers", "git branch -d "+names.ForShell(name), "the branch of %s is still there although it is merged", id).
			by(completeMerge(e, id, b), "record the merge and remove the branch")
	}
	if left == 0 {
		e.ok("leftovers", "none of merged proposals")
	}
}

// completeMerge has the forge write down what it missed, as it does before each change, and
// removes the branch where that did not.
func completeMerge(e *examination, id string, b gitstore.Ref) func(context.Context) error {
	return func(ctx context.Context) error {
		err := e.w.Forge.Close(ctx, id, forge.Closing{By: forge.Actor{Name: "assent"}, Why: "merged", At: e.Now()})
		if !errors.Is(err, forge.ErrMerged) {
			return errors.Join(errors.New("it is merged, and the forge does not say so"), err)
		}
		if _, err := e.w.Repo.Ref(b.Name); errors.Is(err, gitstore.ErrNoRef) {
			return nil
		}
		return e.w.Repo.Update(gitstore.RefUpdate{Name: b.Name, Old: b.Hash, Reflog: "assent: merged"})
	}
}
