package suite

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Added lists the cases of head's own suite that base's has not, as they are to be run
// on base: what head says of its output is not asked of it.
func Added(base, head capability.Capability) []Case {
	var out []Case
	for _, c := range OwnCases(head) {
		if !slices.ContainsFunc(base.Suite.Cases, func(was capability.Case) bool { return was.Name == c.Name }) {
			c.Output = nil
			out = append(out, c)
		}
	}
	return out
}

// CheckAdded decides whether new cases show something of the change. base is the report
// of running exactly them on what is in force; where nothing is in force, there is
// nothing to ask. A case has to fail there, or to say that it is about existing
// behaviour (existing: true). One that is flaky there is not passed there.
func CheckAdded(added []Case, base Report) diag.List {
	var out diag.List
	was := map[string]Result{}
	for _, r := range base.Cases {
		was[r.ID()] = r
	}
	for _, c := range added {
		switch r := was[c.ID()]; {
		case r.Verdict == Pass && !c.Existing:
			out.Errorf(RuleUnproven, c.Pos, "test what changes, or write existing: true where the case holds on to what is there",
				"the new case %q passes on what is in force, so that it shows nothing of this change", c.Name)
		case r.Verdict == Fail && c.Existing:
			out.Warnf(RuleExisting, c.Pos, "remove existing: true", "the new case %q is marked as existing behaviour and fails on what is in force: %s", c.Name, r.Cause)
		case r.Verdict == Skip || r.Verdict == "":
			out.Warnf(RuleUnproven, c.Pos, "", "whether the new case %q fails on what is in force is not known: it was not run there", c.Name)
		}
	}
	return out
}

// Regressions lists the cases that passed at base and do not pass at head. Cases that
// head does not know are none: that suites only grow is another rule.
func Regressions(base, head Report) []Result {
	passed := map[string]bool{}
	for _, r := range base.Cases {
		passed[r.ID()] = r.Verdict == Pass
	}
	var out []Result
	for _, r := range head.Cases {
		if passed[r.ID()] && (r.Verdict == Fail || r.Verdict == Flaky) {
			out = append(out, r)
		}
	}
	return out
}

// CheckRegressions refuses a change with which a case of the same capability fails that
// passed before, whether it is required or not. Standard cases are left out, as they
// come from the schema and may ask for other things than before.
func CheckRegressions(base, head Report) diag.List {
	var out diag.List
	for _, r := range Regressions(base, head) {
		if r.Origin != Standard {
			out.Errorf(RuleRegression, r.pos, "repair it, or propose the new behaviour as a breaking version", "case %q passes on what is in force and fails with this change: %s", r.Name, r.Cause)
		}
	}
	return out
}

// CheckInherited refuses a repair that does not pass what it supersedes has to pass.
func CheckInherited(head Report) diag.List {
	var out diag.List
	for _, r := range head.Cases {
		if r.Origin == Inherits && (r.Verdict == Fail || r.Verdict == Flaky) {
			out.Errorf(RuleRegression, r.pos, "repair it, or propose it as a breaking version", "case %q of %s, which is superseded, fails with what comes after it: %s", r.Name, r.From, r.Cause)
		}
	}
	return out
}

// CheckCaller refuses a change with which a case of a composed tool fails that passed
// before, where the tool itself stays as it is, and so what its schema demands of it. at
// is the place of cases that come from the schema.
func CheckCaller(base, head Report, at diag.Pos) diag.List {
	var out diag.List
	for _, r := range Regressions(base, head) {
		pos := r.pos
		if r.Origin == Standard {
			pos = at
		}
		out.Errorf(RuleRegression, pos, "repair it, or change the composed tool in the same proposal",
			"case %q of %s, which calls what changes, passes on what is in force and fails with this change: %s", r.Name, head.Subject.Name, r.Cause)
	}
	return out
}
