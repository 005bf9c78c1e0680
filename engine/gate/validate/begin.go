package validate

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Begin returns the input that judges a whole tree as new: the initial content of a
// workspace, or a repository's own instance. Its own policies apply, because none are in
// force before them.
func Begin(head tree.View, schedule func(string) error) Input {
	policies, diags := policy.Load(head)
	lim := &policies.Limits
	lim.FilesPerProposal, lim.ProposalBytes = 1<<30, 1<<50 // bounds on one proposal, not on a workspace
	return Input{
		Base: tree.NewMap(), Head: head, Policies: policies, PolicyDiags: diags,
		Schedule: schedule, Worktree: true, Beginning: true, Engine: version.Engine,
	}
}
