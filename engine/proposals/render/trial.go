package render

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// Trial returns the test result of one capability, in one line. It is not escaped.
func Trial(t proof.Trial) string {
	if t.State == proof.Nothing {
		return t.Name + " has no callable code"
	}
	text := fmt.Sprintf("%s %s, mastery %.2f: %d passed, %d failed", t.Name, t.State, math.Floor(t.Mastery*100+1e-6)/100, t.Passed, t.Failed)
	for _, n := range []struct {
		count int
		what  string
	}{{t.Flaky, "flaky"}, {t.Skipped, "not run"}} {
		if n.count > 0 {
			text += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	if t.Repeat > 1 {
		text += fmt.Sprintf("; each run %d times", t.Repeat)
	}
	return text
}

// trials is the part of a page about tests; empty where nothing is known of any.
func trials(t *policy.Tests) string {
	if t == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n**Tests**")
	if t.Claimed {
		out.WriteString(" (from a record; the merge runs them again)")
	}
	out.WriteString("\n\n")
	for _, trial := range t.Trials {
		fmt.Fprintf(&out, "- %s\n", codeSpan(Trial(trial)))
		for _, finding := range slices.Concat(trial.Against, trial.Failing) {
			fmt.Fprintf(&out, "  - %s\n", codeSpan(finding))
		}
	}
	if t.Unrun != "" {
		fmt.Fprintf(&out, "- not run: %s\n", codeSpan(t.Unrun))
	}
	return out.String()
}
