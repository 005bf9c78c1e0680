package doctor

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// checkLeftovers finds the remains of a merge that was interrupted after main moved: the
// proposal's branch, and perhaps a journal without the final event.
func checkLeftovers(e *examination) {
	branches, err := e.w.Repo.Refs("refs/heads/" + forge.BranchPrefix)
	if _, err = gitstore.BrokenRefs(err); err != nil { // other checks report broken refs
		e.broke("leftovers", err)
		return
	}
	left := 0
	for _, b := range branches {
		id := strings.TrimPrefix(b.Name, "refs/heads/"+forge.BranchPrefix)
		pull, err := e.w.Record.Get(e.ctx, id)
		if err != nil || pull.State != forge.Merged {
			continue // checkProposals reports damaged ones; others may keep theirs
		}
		left++
		name := strings.TrimPrefix(b.Name, "refs/heads/")
		if in, err := e.w.Repo.IsAncestor(b.Hash, e.cur.Main); err != nil || !in {
			e.warn("leftovers", "assent propose its commits after the merge, or git branch -D "+names.ForShell(name),
				"the branch of %s still exists although it is merged, and holds commits that main has not", id)
			continue
		}
		e.warn("leftovers", "git branch -d "+names.ForShell(name), "the branch of %s still exists although it is merged", id).
			by(completeMerge(e, id, b), "record the merge and remove the branch")
	}
	if left == 0 {
		e.ok("leftovers", "no branches of merged proposals")
	}
}

// completeMerge lets the forge record the missing event, as it does before each change, and
// removes the branch if the forge did not.
func completeMerge(e *examination, id string, b gitstore.Ref) func(context.Context) error {
	return func(ctx context.Context) error {
		err := e.w.Forge.Close(ctx, id, forge.Closing{By: forge.Actor{Name: "assent"}, Why: "merged", At: e.Now()})
		if !errors.Is(err, forge.ErrMerged) {
			return errors.Join(errors.New("it is merged, but the forge does not record it"), err)
		}
		if _, err := e.w.Repo.Ref(b.Name); errors.Is(err, gitstore.ErrNoRef) {
			return nil
		}
		return e.w.Repo.Update(gitstore.RefUpdate{Name: b.Name, Old: b.Hash, Reflog: "assent: merged"})
	}
}
