package health

import (
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// State is how a content holds up.
type State string

// The states.
const (
	// Pending: nothing has shown yet whether it works here.
	Pending State = "pending"
	// Green: its tests passed.
	Green State = "green"
	// Red: it worked or was let in, and fails. It is in quarantine: nothing calls it.
	Red State = "red"
	// Flaky: the same test passes and fails. It is called, and again where it fails.
	Flaky State = "flaky"
	// Rejected: its tests failed the first time they were run. Nothing calls it.
	Rejected State = "rejected"
)

// States returns all of them, in the order of a capability's life.
func States() []State { return []State{Pending, Green, Flaky, Red, Rejected} }

// Runs reports whether a capability in this state is called. The zero value is not a state
// and does not run.
func (s State) Runs() bool { return s == Pending || s == Green || s == Flaky }

// Kind is the source of evidence.
type Kind string

// The kinds of evidence.
const (
	// Suite: all tests were run.
	Suite Kind = "suite"
	// Smoke: the few were run that come before a first use.
	Smoke Kind = "smoke"
	// Use: a caller used it.
	Use Kind = "use"
	// Reset: a person says that the machine was at fault, and not the content.
	Reset Kind = "reset"
	// Elsewhere: other installations took it out of use. It is no evidence of its own.
	Elsewhere Kind = "elsewhere"
)

// Outcome is the result that evidence shows.
type Outcome string

// The outcomes.
const (
	Passed Outcome = "passed"
	Failed Outcome = "failed"
	Mixed  Outcome = "mixed" // the same test passed and failed
	// Nothing: nothing was shown, because nothing could be run or there are no tests.
	Nothing Outcome = "nothing"
)

// Evidence is one observation.
type Evidence struct {
	Kind    Kind
	Outcome Outcome
	At      time.Time
	// Why is one line about the failure.
	Why string
	// Times is how many uses these were, all with the same result; 0 is one. Cost is that of all.
	Times int
	// Context are the tags of a Use.
	Context []string
	// Call identifies caller and input of a Use; "" if unknown.
	Call string
	// Cost is that of a Use, in the currency of the policies.
	Cost float64
	// Asked is set if a person named the capability. Only then do passing tests end a quarantine
	// that uses caused, because they passed before it as well.
	Asked bool
	// Cases are those that did not pass, Mastery and Report the score and digest of the
	// whole, for a Suite.
	Cases   []Case
	Mastery float64
	Report  string
}

// Case is a test that did not pass.
type Case = trial.Case

// Entry is the health of one content.
type Entry struct {
	// Digest names the content: the tree of the capability's folder.
	Digest  string             `json:"digest"`
	Version capability.Version `json:"version"`
	State   State              `json:"state"`
	// Since is the start of the state, By and Why its cause; zero for pending.
	Since time.Time `json:"since,omitzero"`
	By    Kind      `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
	Cases []Case    `json:"cases,omitempty"`
	// Checked is when all tests were last run and showed something; Mastery and Report
	// are of then. Asked is when they last passed because a person asked for them.
	Checked time.Time `json:"checked,omitzero"`
	Asked   time.Time `json:"asked,omitzero"`
	Mastery float64   `json:"mastery,omitempty"`
	Report  string    `json:"report,omitempty"`
	// Uses counts calls that ran, Failures those of them that failed, InARow those since
	// the last that did not, and Neither those that spoke neither for nor against it: also a
	// failure of a Call that is among those of the row.
	Uses int `json:"uses"`
	// Cost is the sum of all of them, in the currency of the policies at the time.
	Cost     float64   `json:"cost,omitempty"`
	Failures int       `json:"failures"`
	InARow   int       `json:"in_a_row"`
	Failing  []string  `json:"failing,omitempty"`
	Neither  int       `json:"neither,omitempty"`
	Used     time.Time `json:"used,omitzero"`
	// Contexts are the uses by the tags that they were made for, the tag that was used last
	// first. A use with several tags counts for each.
	Contexts []Context `json:"contexts,omitempty"`
	// Proposal asks for a repair or a retirement because of this; "" for none. Package quarantine
	// fills it in.
	Proposal string `json:"proposal,omitempty"`
	// History are the last changes of State, oldest first.
	History []Change `json:"history,omitempty"`
}

// Change is one transition.
type Change struct {
	From State     `json:"from"`
	To   State     `json:"to"`
	At   time.Time `json:"at"`
	By   Kind      `json:"by"`
	Why  string    `json:"why,omitempty"`
}

// New returns the health of a content without any evidence.
func New(digest string, version capability.Version) Entry {
	return Entry{Digest: digest, Version: version, State: Pending}
}

// The bounds of an entry.
const (
	maxFailing  = 64
	maxHistory  = 20
	maxContexts = 64
)

// Of reads a report of tests as evidence. A failed required case is a failure. A case whose
// result changes between runs makes it mixed, required or not.
func Of(kind Kind, r suite.Report, digest string, at time.Time) Evidence {
	e := Evidence{Kind: kind, At: at, Mastery: r.Mastery, Report: digest}
	failed := false
	for _, c := range r.Cases {
		if c.Verdict != suite.Fail && c.Verdict != suite.Flaky {
			continue
		}
		failed = failed || c.Required && c.Verdict == suite.Fail
		if len(e.Cases) < trial.MaxCases {
			e.Cases = append(e.Cases, Case{ID: c.ID(), Cause: c.Cause})
		}
	}
	switch {
	case failed:
		e.Outcome = Failed
	case r.Flaky > 0:
		e.Outcome = Mixed
	case r.State == suite.Incomplete, r.RequiredSkipped > 0, r.Passed == 0:
		e.Outcome = Nothing
	default:
		e.Outcome = Passed
	}
	e.Why = why(r)
	return e
}

// why names the first case that does not pass, a required one if there is one.
func why(r suite.Report) string {
	first := ""
	for _, c := range r.Cases {
		if c.Verdict == suite.Pass || c.Verdict == suite.Skip && r.Failed+r.Flaky > 0 {
			continue
		}
		text := string(c.Verdict) + " " + c.ID() + ": " + c.Cause
		if c.Required && c.Verdict == suite.Fail {
			return text
		}
		if first == "" {
			first = text
		}
	}
	return first
}
