package suite

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Added lists the cases of head's own suite that base's lacks, for running on base.
// Head's output schema does not apply there.
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

// CheckAdded checks that new cases show something about the change. base is the report of
// running exactly these cases on the version in force; without such a version nothing is
// checked. A case must fail there, or be marked existing: true. A flaky case does not
// count as passed.
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
// head lacks do not count: another rule keeps suites from shrinking.
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

// CheckRegressions refuses a change that breaks a case of the same capability, required
// or not. Standard cases are excluded: they come from the schema, which may have changed.
func CheckRegressions(base, head Report) diag.List {
	var out diag.List
	for _, r := range Regressions(base, head) {
		if r.Origin != Standard {
			out.Errorf(RuleRegression, r.pos, "repair it, or propose the new behaviour as a breaking version", "case %q passes on what is in force and fails with this change: %s", r.Name, r.Cause)
		}
	}
	return out
}

// CheckInherited refuses a repair that fails a case of the capability it supersedes.
func CheckInherited(head Report) diag.List {
	var out diag.List
	for _, r := range head.Cases {
		if r.Origin == Inherits && (r.Verdict == Fail || r.Verdict == Flaky) {
			out.Errorf(RuleRegression, r.pos, "repair it, or propose it as a breaking version", "case %q of %s, which is superseded, fails with what comes after it: %s", r.Name, r.From, r.Cause)
		}
	}
	return out
}

// CheckCaller refuses a change that breaks a case of a composed tool which itself, and so
// its schema, is unchanged. at is the place of cases that come from the schema.
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
