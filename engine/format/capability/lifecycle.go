package capability

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// next returns the statuses that may follow from: a step forward, testing back to
// developing, retirement of what was never active, and revival of what was. A step back
// is a change like any other and passes the same gate.
func next(from Status) []Status {
	switch from {
	case Researching:
		return []Status{Developing, Testing, Active, Retired}
	case Developing:
		return []Status{Testing, Active, Retired}
	case Testing:
		return []Status{Developing, Active, Retired}
	case Active:
		return []Status{Testing, Deprecated}
	case Deprecated:
		return []Status{Active, Retired}
	case Retired:
		return []Status{Testing}
	}
	return nil
}

// CheckTransition refuses illegal changes of status. The order is researching →
// developing → testing → active → deprecated → retired. Steps before active may be
// skipped, since the implementation of a specification may arrive tested. testing may go
// back to developing, active to testing, deprecated to active, and a retired capability
// restarts in testing.
func CheckTransition(from, to Status, pos diag.Pos) diag.List {
	var out diag.List
	if from == to || slices.Contains(next(from), to) {
		return out
	}
	var may []string
	for _, s := range next(from) {
		may = append(may, string(s))
	}
	out.Errorf(RuleStatus, pos, "set the status to one of "+strings.Join(may, ", ")+" first",
		"a capability that is %s cannot become %s", from, to)
	return out
}

// CheckArrival refuses initial statuses: a new capability cannot be deprecated or
// retired. Callers skip the check when they restore an earlier capability.
func CheckArrival(c Capability) diag.List {
	var out diag.List
	if c.Status == Deprecated || c.Status == Retired {
		out.Errorf(RuleStatus, c.RecordPos("status"), "begin with researching, developing, testing or active",
			"a new capability cannot begin as %s", c.Status)
	}
	return out
}

// CheckUpdate compares a capability with its state at the base. It checks for a legal
// status, a version that does not decrease, a folder of its own for a breaking version, a
// compatible signature, and a suite that only grew. It notes content that changed under
// the same version. changed reports whether any file of the folder differs.
func CheckUpdate(base, head Capability, changed bool) diag.List {
	var out diag.List
	out.Add(CheckTransition(base.Status, head.Status, head.RecordPos("status"))...)
	pos := head.RecordPos("version")
	switch c := head.Version.Compare(base.Version); {
	case c < 0:
		out.Errorf(RuleVersion, pos, "use a version above "+string(base.Version), "the version goes back from %s to %s", base.Version, head.Version)
	case c == 0 && changed && !base.Record.Missing:
		out.Notef(RuleVersion, pos, "raise the version", "the content changed and the version is still %s", head.Version)
	}
	out.Add(checkInPlace(base, head)...)
	//defence:suites-only-grow
	out.Add(CompareSuites(base.Suite, head.Suite)...)
	return out
}
