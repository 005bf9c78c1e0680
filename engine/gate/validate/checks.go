package validate

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// check is one family of rules. It adds to s.diags; an error means that reading
// failed, never that content is wrong.
type check struct {
	name string
	run  func(*subject) error
}

// checks lists everything a change goes through, in the order of gate.md's list.
// A new family is a line here and a file of its own. Checks before guard judge
// sizes and names only; when one of them finds errors what follows is left out,
// because nothing of a hostile size or shape is looked at further.
func checks() (guard, rest []check) {
	return []check{
			{"limits", checkLimits},
			{"paths", checkPaths},
		}, []check{
			{"change", checkChange},
			{"capabilities", checkCapabilities},
			{"registry", checkRegistry},
			{"requires", checkRequires},
			{"bounds", checkBounds},
			{"hosts", checkHosts},
			{"agents", checkAgents},
			{"composed", checkComposed},
			{"versions", checkVersions},
			{"suites", checkSuites},
			{"needed", checkNeeded},
			{"superseded", checkSuperseded},
			{"callers", checkCallers},
			{"duplicates", checkDuplicates},
			{"souls", checkSouls},
			{"policies", checkPolicies},
			{"workflows", checkWorkflows},
			{"proposal", checkProposal},
			{"kind", checkKind},
			{"scan", checkScan},
			{"branch", checkBranch},
		}
}

// Outcome is a report and the proposal that it is about.
type Outcome struct {
	Report Report
	// Proposal is the one that the change adds, nil without one; File is its path.
	Proposal *proposal.Proposal
	File     string
}

// Run validates one change. The error is for a tree that cannot be read; what is
// wrong with the change is in the report.
func Run(in Input) (Outcome, error) {
	s, err := newSubject(in)
	if err != nil {
		return Outcome{}, err
	}
	guard, rest := checks()
	found := s.diags.Count(diag.Error)
	s.guarded = true
	for _, c := range guard {
		if err := c.run(s); err != nil {
			return Outcome{}, err
		}
		//defence:sizes-and-names-first
		if s.diags.Count(diag.Error) > found {
			s.guarded = false
			break
		}
	}
	if s.guarded {
		for _, c := range rest {
			if err := c.run(s); err != nil {
				return Outcome{}, err
			}
		}
	}
	report, err := s.report()
	return Outcome{Report: report, Proposal: s.proposal, File: s.file}, err
}
