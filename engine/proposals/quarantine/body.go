package quarantine

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/scan"
)

// body is the text of the proposal: the evidence and the answers. A program's output in real calls
// may repeat their inputs and stays on this machine; its output in tests is quoted, as code, on
// one line each.
func body(s Subject, to capability.Status, id string) string {
	h := s.Health
	var b strings.Builder
	fmt.Fprintf(&b, "# Why\n\n%s %s is %s since %s, in the installation that opened this: nothing calls it there.\n\n",
		s.Name, s.Version, h.State, h.Since.UTC().Format("2006-01-02 15:04 UTC"))
	fmt.Fprintf(&b, "- content: %s\n- uses there: %d, of which %d failed, the last %d in a row\n", s.Digest, h.Uses, h.Failures, h.InARow)
	if h.Report != "" {
		fmt.Fprintf(&b, "- tests: mastery %.2f, report %s\n", h.Mastery, h.Report)
	}
	if h.By == health.Use {
		b.WriteString("- uses put it into quarantine, not its tests; their output stays there (assent health " + names.ShellWord(s.Name) + ")\n")
	}
	for _, c := range h.Cases {
		fmt.Fprintf(&b, "- does not pass: %s: %s\n", code(c.ID), code(c.Cause))
	}
	b.WriteString("\n# What to do\n\n")
	switch to {
	case capability.Testing:
		fmt.Fprintf(&b, "If merged as it is, this takes %s out of use for everyone: its status becomes testing until a repair makes it active again.\n\n", s.Name)
		fmt.Fprintf(&b, "- To repair it, replace this change by the repaired folder: `assent update %s FOLDER`\n", names.ShellWord(id))
	default:
		fmt.Fprintf(&b, "If merged as it is, this makes %s %s.\n\n", s.Name, to)
		fmt.Fprintf(&b, "- To keep it, replace this change by a repaired folder: `assent update %s FOLDER`\n", names.ShellWord(id))
	}
	fmt.Fprintf(&b, "- If nothing is wrong with it, reject this. `assent health --check %s` ends the quarantine where all tests pass.\n", names.ShellWord(s.Name))
	return b.String()
}

// code is untrusted text as a code span that it cannot leave.
func code(s string) string {
	return "`" + strings.ReplaceAll(scan.Visible(s), "`", "'") + "`"
}
