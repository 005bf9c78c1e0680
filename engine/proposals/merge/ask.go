package merge

import (
	"context"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

const noWitness = "the service is to merge it (git config assent.merge), and no key here may attest that afterwards: give a key of this machine the role witness in " + policy.RolesFile + ", or let the engine merge it"

// ask has the service merge a proposal that the gate allows. The next run attests the merge, like
// any merge by the service (see afterwards); forge.ErrMerged requests that. The service's commit
// has no trailers: their content is not known before it.
func ask(ctx context.Context, cur workspace.Session, out Outcome) (Outcome, error) {
	pull := out.Examined.Case.Pull
	status, err := propose.StatusOf(cur, out.Examined)
	if err != nil {
		return out, err
	}
	if err := cur.Forge.Status(ctx, pull.ID, status); err != nil {
		return out, err
	}
	out.Queued, err = cur.Forge.AskMerge(ctx, pull.ID, forge.Asking{Head: pull.Head, Title: "Merge " + pull.ID + ": " + oneLine(pull.Title)})
	if err == nil && !out.Queued {
		err = forge.ErrMerged
	}
	return out, err
}
