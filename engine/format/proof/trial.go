package proof

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/suite"
)

// Nothing is the state of a capability with code but without anything callable.
const Nothing suite.State = "nothing"

// Bounds: trials per record, messages per trial, and bytes per text.
const (
	MaxTrials = 100
	maxTold   = 10
	maxText   = 256
)

// Trial is the test results of one capability.
type Trial struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Subject is the digest of everything the outcome depends on; see SubjectOf.
	Subject string `json:"subject"`
	// Repeat is the number of runs of each case.
	Repeat int         `json:"repeat"`
	State  suite.State `json:"state"`
	// Mastery and the counts are as in suite.Report.
	Mastery         float64 `json:"mastery"`
	Passed          int     `json:"passed"`
	Failed          int     `json:"failed"`
	Flaky           int     `json:"flaky"`
	Skipped         int     `json:"skipped"`
	RequiredFailed  int     `json:"required_failed"`
	RequiredSkipped int     `json:"required_skipped"`
	// Against lists errors besides the cases: regressions, and new cases that show
	// nothing. Failing lists the first cases that did not pass, with their causes.
	Against []string `json:"against"`
	Failing []string `json:"failing"`
	// Report is the digest of the suite's report.
	Report string `json:"report"`
}

// TrialOf shortens a report. against are the errors besides its cases.
func TrialOf(path, subject string, repeat int, r suite.Report, digest string, against []string) Trial {
	t := Trial{
		Name: r.Subject.Name, Path: path, Subject: subject, Repeat: repeat, State: r.State, Mastery: r.Mastery,
		Passed: r.Passed, Failed: r.Failed, Flaky: r.Flaky, Skipped: r.Skipped, RequiredFailed: r.RequiredFailed, RequiredSkipped: r.RequiredSkipped,
		Against: []string{}, Failing: []string{}, Report: digest,
	}
	for _, text := range against[:min(len(against), maxTold)] {
		t.Against = append(t.Against, phrase(text))
	}
	for _, c := range r.Cases {
		if c.Verdict != suite.Pass && len(t.Failing) < maxTold {
			t.Failing = append(t.Failing, phrase(fmt.Sprintf("%s (%s): %s", c.ID(), c.Verdict, c.Cause)))
		}
	}
	return t
}

// Held reports whether the full tests passed and nothing else counts against the
// capability. The policies decide how much mastery is enough.
func (t Trial) Held() bool {
	return t.State == Nothing || t.State == suite.Passed && len(t.Against) == 0
}

// Unfinished reports whether a better equipped machine could get another outcome: a
// required case was not run, and nothing else counts against the capability.
func (t Trial) Unfinished() bool {
	return t.State == suite.Incomplete && t.RequiredSkipped > 0 && len(t.Against) == 0
}

// Check returns an error if t must not be recorded.
func (t Trial) Check() error {
	states := []suite.State{suite.Passed, suite.Failing, suite.Unstable, suite.Incomplete, Nothing}
	counts := []int{t.Passed, t.Failed, t.Flaky, t.Skipped, t.RequiredFailed, t.RequiredSkipped, t.Repeat - 1}
	switch {
	case t.Name == "" || t.Path == "" || t.Subject == "":
		return errors.New("name, path or subject of a trial is missing")
	case !slices.Contains(states, t.State):
		return fmt.Errorf("unknown state %q", t.State)
	case slices.Min(counts) < 0 || !(t.Mastery >= 0 && t.Mastery <= 1):
		return errors.New("the counts of a trial are inconsistent")
	case t.Against == nil || t.Failing == nil || len(t.Against) > maxTold || len(t.Failing) > maxTold:
		return fmt.Errorf("against and failing: want lists of at most %d entries", maxTold)
	}
	for _, text := range slices.Concat([]string{t.Name, t.Path, t.Subject, t.Report}, t.Against, t.Failing) {
		if err := canonical.CheckPhrase(text, maxText); err != nil {
			return err //nolint:wrapcheck // it quotes the text
		}
	}
	return nil
}

// phrase returns text as one line of at most maxText bytes.
func phrase(text string) string { return canonical.Phrase(text, maxText) }
