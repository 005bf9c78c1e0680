package render

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// github writes workflow commands, which GitHub Actions turns into annotations at
// the lines of the change, with the risk and the policies touched as notices. The last line is the count; it begins with a word of
// ours, so it is no command.
//
// Grammar: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
func github(r validate.Report) []byte {
	return append(annotations(r.Diagnostics), riskCommands(r)+r.Summary()+"\n"...)
}

func annotations(found diag.List) []byte {
	var out strings.Builder
	for _, d := range found {
		message := plain(d.Message)
		if d.Evidence != "" {
			message += "\n| " + plain(d.Evidence)
		}
		if d.Fix != "" {
			message += "\nfix: " + plain(d.Fix)
		}
		fmt.Fprintf(&out, "::%s %s::%s\n", commandOf(d.Severity), properties(d), commandData(message))
	}
	return []byte(out.String())
}

func commandOf(s diag.Severity) string {
	if s == diag.Note {
		return "notice"
	}
	return s.String()
}

func properties(d diag.Diagnostic) string {
	var out []string
	if d.File != "" {
		out = append(out, "file="+commandProperty(d.File))
	}
	if d.Line > 0 {
		out = append(out, fmt.Sprintf("line=%d", d.Line))
	}
	if d.Line > 0 && d.Column > 0 {
		out = append(out, fmt.Sprintf("col=%d", d.Column))
	}
	return strings.Join(append(out, "title="+commandProperty(d.Rule)), ",")
}
