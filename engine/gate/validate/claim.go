package validate

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Claim compares an unsigned report that a run left behind with the one computed here for
// the same head. bound reports whether merging that head into a commit in the base's history
// gives the trees that the claim names. The result concerns only the claim: the report
// computed here is valid in any case.
func Claim(claimed, found Report, bound bool) diag.List {
	var out diag.List
	switch {
	case !bound:
		out.Errorf(RuleClaimTrees, diag.Pos{}, "run validation again; if it happens again, look at what the change does to the workflow",
			"the report that the run left is about other commits than those that it ran for")
	case claimed.Base != found.Base: // main moved since: the other one was right in its time
	case claimed.Engine != found.Engine:
		out.Warnf(RuleClaimEngine, diag.Pos{}, "look at whether the change is meant to raise the version of the engine",
			"the report that the run left was made by assent %s, and the base has %s", claimed.Engine, found.Engine)
	case !sameReport(claimed, found):
		out.Errorf(RuleClaimForged, diag.Pos{}, "look at what the change does to the workflow that validates it",
			"the report that the run left does not say what is found here%s", leftOut(claimed, found))
	}
	return out
}

// Unclaimed is the finding where a run left no report that can be read.
func Unclaimed(why string) diag.List {
	var out diag.List
	out.Errorf(RuleClaimMissing, diag.Pos{}, "run validation again; if it happens again, look at what the change does to the workflow",
		"the run left no report: %s", why)
	return out
}

func sameReport(a, b Report) bool {
	x, errX := a.Canonical()
	y, errY := b.Canonical()
	return errX == nil && errY == nil && string(x) == string(y)
}

// leftOut names the rules of findings that the claim lacks.
func leftOut(claimed, found Report) string {
	var rules []string
	for _, d := range found.Diagnostics {
		if !slices.Contains(claimed.Diagnostics, d) && !slices.Contains(rules, d.Rule) {
			rules = append(rules, d.Rule)
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return "; it leaves out: " + strings.Join(rules, ", ")
}
