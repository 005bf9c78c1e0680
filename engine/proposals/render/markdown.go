package render

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/gate/validate"
)

// maxMarkdown bounds a comment, in bytes. GitHub admits 65 536 characters, and the poster may have
// to add a line.
const maxMarkdown = 50_000

// markdown is for a comment on a pull request. Text that a proposal could have written is in code
// spans.
func markdown(r validate.Report) []byte { return findingItems(r, riskItems(r)) }

// findingItems returns the count, the text after, and the findings.
func findingItems(r validate.Report, after string) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**\n%s", r.Summary(), after)
	for i, d := range r.Diagnostics {
		var item strings.Builder
		fmt.Fprintf(&item, "\n- **%s** ", d.Severity)
		if at := codeSpan(d.Pos.String()); d.File != "" && at != "" {
			item.WriteString(at + " ")
		}
		fmt.Fprintf(&item, "%s (%s)\n", codeSpan(d.Message), codeSpan(d.Rule))
		if d.Evidence != "" {
			fmt.Fprintf(&item, "  - found: %s\n", codeSpan(d.Evidence))
		}
		if d.Fix != "" {
			fmt.Fprintf(&item, "  - fix: %s\n", codeSpan(d.Fix))
		}
		if out.Len()+item.Len() > maxMarkdown {
			fmt.Fprintf(&out, "\n… and %d more; the text report has them all.\n", len(r.Diagnostics)-i)
			break
		}
		out.WriteString(item.String())
	}
	return []byte(out.String())
}
