package critic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Judgement is a critic's opinion of one capability.
type Judgement struct {
	Tool            string   `json:"tool_name"`
	Satisfaction    float64  `json:"satisfaction"`
	Issues          []string `json:"issues"`
	Recommendations []string `json:"recommendations"`
}

// The deductions of the rules; docs/agents.md has them.
const (
	perRetry   = 0.1
	mostRetry  = 0.3
	unwellCost = 0.2
	flakyCost  = 0.1
)

// Judge judges by rules. Capabilities without an outcome, of a call or of the whole, are left out:
//
//	satisfaction = mean(share of successes among its calls, outcome of the whole) - deductions
//
// where a partial success is a half, and what is not known is left out of the mean.
func (e Evidence) Judge() []Judgement {
	out := []Judgement{}
	for _, t := range e.Tools {
		parts, sum := 0.0, 0.0
		if n := t.Success + t.Failure + t.Partial; n > 0 {
			parts, sum = 1, (float64(t.Success)+float64(t.Partial)/2)/float64(n)
		}
		if whole, known := e.Outcome.Worth(); known {
			parts, sum = parts+1, sum+whole
		}
		if parts == 0 {
			continue
		}
		s := sum/parts - min(mostRetry, perRetry*float64(t.Retries)) - deduction(t.Health)
		j := Judgement{Tool: t.Name, Satisfaction: trial.Hundredths(max(0, s))}
		j.Issues, j.Recommendations = t.remarks(e.Outcome)
		out = append(out, j)
	}
	return out
}

func deduction(s health.State) float64 {
	switch s {
	case health.Red, health.Rejected:
		return unwellCost
	case health.Flaky:
		return flakyCost
	}
	return 0
}

// remarks says what went wrong, the worst first, and what would help.
func (t *Tool) remarks(whole trial.Outcome) (issues, recommendations []string) {
	issue := func(format string, args ...any) { issues = append(issues, fmt.Sprintf(format, args...)) }
	advise := func(text string) {
		if text != "" && !slices.Contains(recommendations, text) {
			recommendations = append(recommendations, text)
		}
	}
	classes := order.Sorted(maps.Keys(t.Errors), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Errors[b], t.Errors[a]), cmp.Compare(a, b))
	})
	if t.Failure > 0 {
		text := fmt.Sprintf("%d of %d calls failed", t.Failure, t.Calls)
		if len(classes) > 0 {
			text += ": " + strings.Join(classes, ", ")
		}
		if t.Lost > 0 {
			text += fmt.Sprintf("; they took %d tokens", t.Lost)
		}
		issue("%s", text)
	} else if len(classes) > 0 {
		issue("calls did not run: %s", strings.Join(classes, ", "))
	}
	for _, class := range classes {
		advise(remedies()[class])
	}
	if t.Failure > 0 && len(recommendations) == 0 {
		advise("add a case to tests.yaml for each input that failed, and repair it")
	}
	if t.Retries > 0 {
		issue("calls repeated after a failure: %d", t.Retries)
		advise("let its errors say what to change before the next call")
	}
	switch t.Health {
	case health.Red, health.Rejected, health.Flaky:
		issue("its health here is %s", t.Health)
		advise("repair it: assent health " + names.ShellWord(t.Name) + " shows the failing cases")
	}
	if whole == trial.Failure || whole == trial.Partial {
		issue("the outcome of the whole was %s", whole)
		if t.Calls == 0 {
			advise("say in its text which result is right, and how to check it")
		}
	}
	return issues[:min(len(issues), trial.MaxRemarks)], recommendations[:min(len(recommendations), trial.MaxRemarks)]
}

// remedies has what helps against a class of errors.
func remedies() map[string]string {
	return map[string]string{
		"timeout":         "make it faster, or raise its timeout",
		"out_of_memory":   "process its input in parts",
		"too_much_output": "let it answer less, such as a page or a summary",
		"invalid_input":   "say in its description which input it takes, with an example",
		"invalid_output":  "make its answer fit its output schema",
		"invalid_answer":  "let it print its answer as one JSON value and nothing else",
		"not_available":   "require less of the machine, or declare what it requires",
		"missing_secret":  "say in its description which secret a person has to set up",
		"host_refused":    "declare the hosts that it needs, or need none",
		"rate_limited":    "let it do more with one call",
		"quarantined":     "repair it: it is in quarantine",
	}
}
