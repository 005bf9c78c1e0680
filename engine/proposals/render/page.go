package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// maxPaths bounds how many changed files a page lists.
const maxPaths = 50

// Page is the Markdown of an examination on a pull request's page: risk and reasons, missing
// approvals, test results, changes and findings. As in a report, text that a proposal could have
// written is in code spans.
func Page(r validate.Report, risk policy.Risk, v policy.Verdict, tests *policy.Tests, checks []policy.CheckStatus) string {
	var out strings.Builder
	fmt.Fprintf(&out, "### %s risk · %s\n\n", capital(risk.Tier.String()), v.Outcome)
	for _, reason := range v.Reasons() {
		fmt.Fprintf(&out, "- %s\n", codeSpan(reason))
	}
	for _, w := range v.WaitingFor {
		who := "no one can at present"
		if len(w.Who) > 0 {
			who = "can be given by " + codeSpan(strings.Join(w.Who, ", "))
		}
		if len(w.Part) > 0 {
			who += "; an approval by " + codeSpan(strings.Join(w.Part, ", ")) + ", who took part, makes one fewer enough"
		}
		fmt.Fprintf(&out, "- %d of %d approvals by %s; %s\n", w.Have, w.Need, codeSpan(w.Role), who)
	}
	if why := risk.DecisiveWhys(); len(why) > 0 {
		out.WriteString("\n**Why this risk**\n\n")
		for _, reason := range why {
			fmt.Fprintf(&out, "- %s\n", codeSpan(reason))
		}
	}
	if len(checks) > 0 {
		out.WriteString("\n**Required checks**\n\n")
		for _, s := range checks {
			fmt.Fprintf(&out, "- %s: %s, %s\n", codeSpan(s.Name), s.State, codeSpan(s.Reason))
		}
	}
	out.WriteString(trials(tests))
	fmt.Fprintf(&out, "\n**What changes** (%d files)\n\n", len(r.Files))
	for i, f := range r.Files {
		if i == maxPaths {
			fmt.Fprintf(&out, "- … and %d more\n", len(r.Files)-i)
			break
		}
		fmt.Fprintf(&out, "- %s %s\n", f.Change, codeSpan(f.Path))
	}
	out.WriteString("\n**Validation**: ")
	r.Diagnostics = slices.Clone(r.Diagnostics)
	r.Diagnostics.Sort()
	out.Write(findingItems(r, ""))
	if digest, err := r.Digest(); err == nil {
		fmt.Fprintf(&out, "\nReport `%s` on tree `%s`, engine %s.\n", digest, r.Result, r.Engine)
	}
	return out.String()
}

func capital(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
