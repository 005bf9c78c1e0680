package render

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// riskOf is the tier of a change and the reasons for it; "" if nothing changes, or if the change belongs
// to no proposal, as in a worktree: its kind counts and is not known.
func riskOf(r validate.Report) (tier string, why []string) {
	if len(r.Files) == 0 || r.Kind == "" {
		return "", nil
	}
	return r.Risk.Tier.String(), r.Risk.DecisiveWhys()
}

// policiesOf are the files of a change that decide how proposals are judged, with what
// becomes of each.
func policiesOf(r validate.Report) (out []string) {
	for _, f := range r.Files {
		if names.Area(f.Path) == names.PoliciesArea {
			out = append(out, f.Path+" ("+f.Change+")")
		}
	}
	return out
}

// riskLines are the risk and the policies touched in words.
func riskLines(r validate.Report) string {
	out := ""
	if tier, why := riskOf(r); tier != "" {
		out = plain(tier+" risk: "+strings.Join(why, "; ")) + "\n"
	}
	if touched := policiesOf(r); len(touched) > 0 {
		out += plain("policies touched: "+strings.Join(touched, ", ")) + "\n"
	}
	return out
}

// riskCommands are the same as workflow commands for GitHub.
func riskCommands(r validate.Report) string {
	var out strings.Builder
	if tier, why := riskOf(r); tier != "" {
		fmt.Fprintf(&out, "::notice title=risk::%s\n", commandData(plain(tier+" risk: "+strings.Join(why, "; "))))
	}
	if touched := policiesOf(r); len(touched) > 0 {
		fmt.Fprintf(&out, "::notice title=policies touched::%s\n", commandData(plain(strings.Join(touched, ", "))))
	}
	return out.String()
}

// riskItems are the same as lines of Markdown.
func riskItems(r validate.Report) string {
	var out strings.Builder
	if tier, why := riskOf(r); tier != "" {
		fmt.Fprintf(&out, "\nRisk: **%s**\n\n", tier)
		for _, reason := range why {
			fmt.Fprintf(&out, "- %s\n", codeSpan(reason))
		}
	}
	if touched := policiesOf(r); len(touched) > 0 {
		out.WriteString("\nPolicies touched:\n\n")
		for _, path := range touched[:min(len(touched), maxPaths)] {
			fmt.Fprintf(&out, "- %s\n", codeSpan(path))
		}
		if more := len(touched) - maxPaths; more > 0 {
			fmt.Fprintf(&out, "- … and %d more\n", more)
		}
	}
	return out.String()
}
