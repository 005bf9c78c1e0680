package gate

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// State returns the state of a proposal, from its verdict and its pull request.
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
		if c.Held != "" {
			return proposal.Waiting
		}
		return proposal.Approved
	case policy.Refused:
		return proposal.Refused
	case policy.Waiting:
		if changesRequested(v) {
			return proposal.ChangesRequested // an update asks again, too
		}
		if Lapsed(v) {
			return proposal.Expired
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

// Lapsed reports whether the request for approval is too old to be answered.
func Lapsed(v policy.Verdict) bool {
	return slices.ContainsFunc(v.Children, func(part policy.Verdict) bool {
		return part.Rule == policy.RuleExpiry && part.Outcome == policy.Waiting
	})
}

// changesRequested reports whether a reviewer whose decision counts asked for changes.
func changesRequested(v policy.Verdict) bool {
	return v.Rule == policy.RuleChangesRequested || slices.ContainsFunc(v.Children, changesRequested)
}

func countErrors(r validate.Report) int   { return r.Diagnostics.Count(diag.Error) }
func countWarnings(r validate.Report) int { return r.Diagnostics.Count(diag.Warning) }
