package output

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace"
)

// FailedRun is a run about a proposal that failed and holds nothing up.
type FailedRun struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	Reason   string `json:"reason"`
}

// Text says that it failed, and that nothing depends on it.
func (f FailedRun) Text() string {
	text := "the run " + f.Run + " of " + f.Workflow + " failed"
	if f.Reason != "" {
		text += ": " + f.Reason
	}
	return text + "; no check of " + policy.ApprovalsFile + " requires it of this proposal: assent run show " + names.ShellWord(f.Run)
}

// NameFailed finds the failed runs about an open proposal that no required check asks for.
func (v *Proposal) NameFailed(cur workspace.Session, ex workspace.Examined) error {
	failed, err := task.FailedAbout(cur, ex.Case.Pull, ex.Case.Activity.Pushes)
	for _, s := range failed {
		if !slices.ContainsFunc(v.Checks, func(c policy.CheckStatus) bool { return c.Workflow == s.Workflow }) {
			v.FailedRuns = append(v.FailedRuns, FailedRun{s.ID, s.Workflow, s.Reason})
		}
	}
	return err
}
