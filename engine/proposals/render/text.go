package render

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// text is for people: one line a finding, what to do about it below, then the risk, and the
// count at the end.
func text(r validate.Report) []byte {
	return append(findingLines(r.Diagnostics), riskLines(r)+r.Summary()+"\n"...)
}

func findingLines(found diag.List) []byte {
	var out strings.Builder
	for _, d := range found {
		fmt.Fprintf(&out, "%s%s: %s [%s]\n", place(d.Pos), d.Severity, plain(d.Message), plain(d.Rule))
		if d.Evidence != "" {
			fmt.Fprintf(&out, "    | %s\n", plain(d.Evidence))
		}
		if d.Fix != "" {
			fmt.Fprintf(&out, "    fix: %s\n", plain(d.Fix))
		}
	}
	return []byte(out.String())
}

// place is the position with a colon after it; nothing where none is known.
func place(p diag.Pos) string {
	if p.File == "" {
		return ""
	}
	return plain(p.String()) + ": "
}
