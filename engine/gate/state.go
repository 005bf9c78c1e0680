package gate

import (
	"github.com/assent-dev/assent/engine/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/proposal"
	"github.com/assent-dev/assent/engine/review"
	"github.com/assent-dev/assent/engine/validate"
)

// State names where a proposal stands, from its verdict and its pull request.
func State(c Case, v policy.Verdict) proposal.State {
	switch {
	case c.Pull.State == forge.Merged:
		return proposal.Merged
	case c.Pull.State == forge.Closed:
		return closedState(c.Pull.Why)
	case c.Conflicted:
		return proposal.Conflicted
	case c.Report == nil:
		return proposal.Open
	}
	switch v.Outcome {
	case policy.Allowed:
		return proposal.Approved
	case policy.Refused:
		return proposal.Refused
	case policy.Waiting:
		if changesRequested(c) {
			return proposal.ChangesRequested
		}
		return proposal.Waiting
	}
	return proposal.Open
}

func closedState(why string) proposal.State {
	switch s := proposal.State(why); s {
	case proposal.Rejected, proposal.Expired:
		return s
	}
	return proposal.Withdrawn
}

// changesRequested reports whether the newest decision on this content asks the
// proposer for something.
func changesRequested(c Case) bool {
	for i := len(c.Activity.Reviews) - 1; i >= 0; i-- {
		r := c.review(c.Activity.Reviews[i])
		if r.Valid && (r.Head == c.Pull.Head || r.Effective == c.Effective) {
			return r.Decision == review.RequestChanges
		}
	}
	return false
}

func countErrors(r validate.Report) int   { return r.Diagnostics.Count(diag.Error) }
func countWarnings(r validate.Report) int { return r.Diagnostics.Count(diag.Warning) }
