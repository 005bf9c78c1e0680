package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// check is one family of rules. An error means that reading failed, never that content is wrong.
type check struct {
	name string
	run  func(*subject) (diag.List, error)
}

// checks lists all checks of a change in their order. A new family of checks is a line here
// and a file of its own. Checks in guard judge only sizes and names. If one of them finds
// errors, the rest does not run: content of a hostile size or shape is not read.
func checks() (guard, rest []check) {
	return []check{
			{"limits", ofChange(checkLimits)},
			{"paths", ofChange(checkPaths)},
		}, []check{
			{"change", ofPurpose(checkChange)},
			{"capabilities", ofPurpose(checkCapabilities)},
			{"registry", ofPurpose(checkRegistry)},
			{"requires", ofPurpose(checkRequires)},
			{"bounds", ofPurpose(checkBounds)},
			{"hosts", ofPurpose(checkHosts)},
			{"permissions", ofPurpose(checkPermissions)},
			{"methods", ofCapabilities(checkMethods)},
			{"agents", ofCapabilities(checkAgents)},
			{"composed", ofCapabilities(checkComposed)},
			{"versions", ofPurpose(checkVersions)},
			{"suites", ofCapabilities(checkSuites)},
			{"needed", ofPurpose(checkNeeded)},
			{"superseded", ofCapabilities(checkSuperseded)},
			{"callers", ofCapabilities(checkCallers)},
			{"duplicates", func(s *subject) (diag.List, error) { return checkDuplicates(s.purpose, s.compared) }},
			{"souls", ofChange(checkSouls)},
			{"policies", ofChange(checkPolicies)},
			{"workflows", ofChange(checkWorkflows)},
			{"proposal", ofChange(checkProposal)},
			{"kind", ofPurpose(checkKind)},
			{"scan", ofCapabilities(checkScan)},
			{"branch", ofChange(checkBranch)},
		}
}

// A check gets the least that it needs: the difference, the capabilities in it, or also the
// purpose of the change.
func ofChange(run func(*change) (diag.List, error)) func(*subject) (diag.List, error) {
	return func(s *subject) (diag.List, error) { return run(s.change) }
}

func ofCapabilities(run func(*capabilities) (diag.List, error)) func(*subject) (diag.List, error) {
	return func(s *subject) (diag.List, error) { return run(s.capabilities) }
}

func ofPurpose(run func(*purpose) (diag.List, error)) func(*subject) (diag.List, error) {
	return func(s *subject) (diag.List, error) { return run(s.purpose) }
}

// subject is a change on its way through the checks.
type subject struct {
	*purpose
	diags    diag.List
	compared map[string][]string // see Report.Compared
	guarded  bool                // names and sizes are such that content may be read, and was
}

func newSubject(in Input) (*subject, error) {
	c, found, err := newChange(in)
	if err != nil {
		return nil, err
	}
	all := &capabilities{change: c, names: capability.NamerOf(in.Base)}
	return &subject{purpose: &purpose{capabilities: all}, diags: found, compared: map[string][]string{}}, nil
}

// run adds what a check finds.
func (s *subject) run(c check) error {
	if s.Stopped != nil {
		if err := s.Stopped(); err != nil {
			return fmt.Errorf("validate: %w", err)
		}
	}
	found, err := c.run(s)
	s.diags.Add(found...)
	return err
}

// Outcome is a report and the proposal that it is about.
type Outcome struct {
	Report Report
	// Proposal is the one that the change adds, nil without one; File is its path.
	Proposal *proposal.Proposal
	File     string
	// Crowded is set for a change with more paths than the limit, see RuleFileCount.
	Crowded bool
}

// Run validates one change. Findings about the change are in the report; an error means that
// a tree cannot be read.
func Run(in Input) (Outcome, error) {
	s, err := newSubject(in)
	if err != nil {
		return Outcome{}, err
	}
	guard, rest := checks()
	found := s.diags.Count(diag.Error)
	s.guarded = !s.crowded
	for _, c := range guard {
		if !s.guarded {
			break
		}
		if err := s.run(c); err != nil {
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
			if err := s.run(c); err != nil {
				return Outcome{}, err
			}
		}
	}
	report, err := s.report()
	return Outcome{Report: report, Proposal: s.proposal, File: s.file, Crowded: s.crowded}, err
}
