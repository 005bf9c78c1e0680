package suite

import (
	"fmt"
	"math"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/capability"
)

// ReportVersion is the version of the report's format.
const ReportVersion = 1

// State is the overall result of a capability's cases.
type State string

// The states. Only Passed proves something.
const (
	Passed State = "passed"
	// Failing: a required case failed, or was flaky.
	Failing State = "failed"
	// Unstable: a case that is not required was flaky.
	Unstable State = "flaky"
	// Incomplete: no required case failed, but one was not run, or none passed, or the
	// passed ones do not show that the capability does anything.
	Incomplete State = "incomplete"
)

// Subject is the tested capability.
type Subject struct {
	Name    string             `json:"name"`
	Version capability.Version `json:"version"`
	// Tree identifies the folder's content; empty if unknown.
	Tree string `json:"tree,omitempty"`

	// Patterns explain known errors.
	Patterns []capability.ErrorPattern `json:"-"`
	// Alone: it needs neither secrets nor hosts, so a test can make it answer.
	Alone bool `json:"-"`
	// Part: only some cases were chosen, which need not show that it answers.
	Part bool `json:"-"`
}

// SubjectOf returns the subject of a capability whose content is tree.
func SubjectOf(c capability.Capability, tree string) Subject {
	r := c.Record.Requires
	return Subject{Name: c.Name, Version: c.Version, Tree: tree, Patterns: c.Record.ErrorPatterns, Alone: len(r.Secrets)+len(r.Hosts) == 0}
}

// Report holds the results of all cases. Equal outcomes give an equal report, except for
// durations.
type Report struct {
	V       int     `json:"v"`
	Subject Subject `json:"subject"`
	State   State   `json:"state"`
	// Mastery is the weight of the passed cases divided by the weight of those that were
	// run, from 0 to 1, rounded down to four places. It is 0 if none was run, or if only
	// refusals passed: an unimplemented capability refuses too.
	Mastery float64 `json:"mastery"`
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	Flaky   int     `json:"flaky"`
	Skipped int     `json:"skipped"`
	// RequiredFailed counts required cases that failed or were flaky, RequiredSkipped
	// those that were not run.
	RequiredFailed  int      `json:"required_failed"`
	RequiredSkipped int      `json:"required_skipped"`
	Cases           []Result `json:"cases"`
}

// Judge makes the report. outcomes[i] holds the outcomes of the repetitions of cases[i];
// a case without outcomes was skipped.
func Judge(s Subject, cases []Case, outcomes [][]Outcome) Report {
	r := Report{V: ReportVersion, Subject: s, Cases: []Result{}}
	var all, good float64
	does := s.Part
	for i, c := range cases {
		var runs []Outcome
		if i < len(outcomes) {
			runs = outcomes[i]
		}
		result := s.verdict(c, runs)
		r.Cases = append(r.Cases, result)
		r.count(result)
		if result.Verdict != Skip {
			all += c.Weight
		}
		if result.Verdict == Pass {
			good += c.Weight
			does = does || result.does
		}
	}
	if all > 0 && does {
		const places, slack = 1e4, 1e-6 // slack: the rounding error of sums of binary fractions
		r.Mastery = math.Floor(good/all*places+slack) / places
	}
	if r.State = r.state(); r.State == Passed && !does {
		r.State = Incomplete
	}
	return r
}

func (r *Report) count(c Result) {
	switch c.Verdict {
	case Pass:
		r.Passed++
		return
	case Fail:
		r.Failed++
	case Flaky:
		r.Flaky++
	case Skip:
		r.Skipped++
		if c.Required {
			r.RequiredSkipped++
		}
		return
	}
	if c.Required {
		r.RequiredFailed++
	}
}

func (r *Report) state() State {
	switch {
	case r.RequiredFailed > 0:
		return Failing
	case r.RequiredSkipped > 0 || r.Passed == 0:
		return Incomplete
	case r.Flaky > 0:
		return Unstable
	}
	return Passed
}

// Masters reports whether the capability passed with a mastery of at least threshold: a
// failed required case blocks regardless of the score.
func (r Report) Masters(threshold float64) bool {
	return (r.State == Passed || r.State == Unstable) && r.Mastery >= threshold
}

// Canonical returns the bytes that the digest covers: everything except durations.
func (r Report) Canonical() ([]byte, error) {
	timeless := make([]Result, len(r.Cases))
	for i, c := range r.Cases {
		c.Milliseconds = 0
		timeless[i] = c
	}
	r.Cases = timeless
	data, err := canonical.Line(r)
	if err != nil {
		return nil, fmt.Errorf("encode a test report: %w", err)
	}
	return data, nil
}

// Digest returns "sha256:" and the hexadecimal digest of the canonical bytes.
func (r Report) Digest() (string, error) {
	data, err := r.Canonical()
	if err != nil {
		return "", err
	}
	return canonical.Digest(data), nil
}

// Summary returns one line for a person.
func (r Report) Summary() string {
	text := fmt.Sprintf("%s: %d of %d cases pass, mastery %.2f", r.State, r.Passed, len(r.Cases)-r.Skipped, math.Floor(r.Mastery*100+1e-6)/100)
	if r.Flaky > 0 {
		text += fmt.Sprintf(", %d flaky", r.Flaky)
	}
	if r.Skipped > 0 {
		text += fmt.Sprintf(", %d not run", r.Skipped)
	}
	return text
}
