package proof

import (
	"errors"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/suite"
)

// Nothing is the state of a capability that has code and nothing that could be called.
const Nothing suite.State = "nothing"

// The bounds of what is kept: trials of one record, what is told of one trial, and the
// bytes of each text.
const (
	MaxTrials = 100
	maxTold   = 10
	maxText   = 256
)

// Trial is what the tests of one capability came to.
type Trial struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Subject is the digest of what the outcome depends on; see SubjectOf.
	Subject string `json:"subject"`
	// Repeat is how often each case was run.
	Repeat int         `json:"repeat"`
	State  suite.State `json:"state"`
	// Mastery is as in suite.Report, as are the counts.
	Mastery         float64 `json:"mastery"`
	Passed          int     `json:"passed"`
	Failed          int     `json:"failed"`
	Flaky           int     `json:"flaky"`
	Skipped         int     `json:"skipped"`
	RequiredFailed  int     `json:"required_failed"`
	RequiredSkipped int     `json:"required_skipped"`
	// Against are the errors beside the cases: what held before and fails, new cases that
	// show nothing. Failing are the first cases that did not pass, each with its cause.
	Against []string `json:"against"`
	Failing []string `json:"failing"`
	// Report is the digest of the suite's report.
	Report string `json:"report"`
}

// TrialOf shortens a report. against are the errors beside its cases.
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

// Held reports whether the tests were run as a whole and nothing stands against the
// capability. How much mastery is enough is for the policies to say.
func (t Trial) Held() bool {
	return t.State == Nothing || t.State == suite.Passed && len(t.Against) == 0
}

// Unfinished reports whether a machine that has more could come to another outcome: a
// required case was not run, and nothing else stands against the capability.
func (t Trial) Unfinished() bool {
	return t.State == suite.Incomplete && t.RequiredSkipped > 0 && len(t.Against) == 0
}

// Check says what makes t unfit to be kept.
func (t Trial) Check() error {
	states := []suite.State{suite.Passed, suite.Failing, suite.Unstable, suite.Incomplete, Nothing}
	counts := []int{t.Passed, t.Failed, t.Flaky, t.Skipped, t.RequiredFailed, t.RequiredSkipped, t.Repeat - 1}
	switch {
	case t.Name == "" || t.Path == "" || t.Subject == "":
		return errors.New("a trial does not say what was tested")
	case !slices.Contains(states, t.State):
		return fmt.Errorf("%q is no state of tests", t.State)
	case slices.Min(counts) < 0 || !(t.Mastery >= 0 && t.Mastery <= 1):
		return errors.New("the counts of a trial make no sense")
	case t.Against == nil || t.Failing == nil || len(t.Against) > maxTold || len(t.Failing) > maxTold:
		return fmt.Errorf("want lists of at most %d of what stands against it", maxTold)
	}
	for _, text := range slices.Concat([]string{t.Name, t.Path, t.Subject, t.Report}, t.Against, t.Failing) {
		if err := canonical.CheckPhrase(text, maxText); err != nil {
			return err //nolint:wrapcheck // it quotes the text
		}
	}
	return nil
}

// phrase is a text as a trial holds it.
func phrase(text string) string { return canonical.Phrase(text, maxText) }
