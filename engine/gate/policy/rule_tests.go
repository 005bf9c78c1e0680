package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/format/suite"
)

// RuleTests is the rule of the gate that requires tests.
const RuleTests = "tests"

// TestTerms are the inputs of test results besides the trees.
func (p Policies) TestTerms(engine string) proof.Terms {
	return proof.Terms{Engine: engine, Hosts: p.Security.Hosts, Kinds: p.Autonomy.Executables}
}

// MustProve lists the capabilities of a change that enter only with tests: those with
// code, of a kind that security.yaml names, which can be called once it is merged. Code that
// could be called before does not count. After them come the composed tools in force that call
// new code: their tests that passed have to pass again.
func (p Policies) MustProve(f Changes) []Capability {
	var out []Capability
	for _, c := range f.Capabilities {
		if Provable(c) && slices.Contains(p.Security.Tests.Required, c.Kind) && callable(c.Status) && !keeps(c) {
			out = append(out, c)
		}
	}
	//defence:callers-are-tested
	for _, c := range f.Callers {
		if Provable(c) && slices.Contains(p.Security.Tests.Required, c.Kind) && callable(c.Status) {
			out = append(out, c)
		}
	}
	return out
}

// keeps reports whether a change leaves the code as it is in force and allows no more use of it
// than before: a capability that fails its tests can be deprecated and described better.
func keeps(c Capability) bool {
	return c.SameCode && callable(c.WasStatus) && (c.Status == c.WasStatus || c.Status == string(capability.Deprecated))
}

// Provable reports whether a change brings code of a kind that has tests.
func Provable(c Capability) bool {
	return c.Executable && c.Op != Removed && (c.Kind == string(capability.KindTool) || c.Kind == string(capability.KindMCP))
}

// callable reports whether a status allows calls of the code: deprecated does, and an empty one
// counts as active.
func callable(status string) bool {
	return status == "" || status == string(capability.Active) || status == string(capability.Deprecated)
}

func judgeTests(c inquiry) Verdict {
	t := c.f.Tests
	//defence:tests-required
	if must := c.p.MustProve(c.f.Changes); len(must) > 0 {
		return c.proven(must)
	}
	switch {
	case t == nil:
		return allowed("no tests ran; code then needs a human")
	case t.Claimed:
		return allowed("by a record, %d tests pass and %d fail; nothing asks for them", t.Passed, t.Failed)
	case t.RequiredFailed > 0:
		return refused([]string{OnPush}, "%d required tests fail", t.RequiredFailed)
	case t.Passed < 0 || t.Failed < 0 || t.RequiredFailed < 0:
		return undecided([]string{OnReport}, "the test report makes no sense")
	default:
		return allowed("%d tests pass, %d optional ones fail", t.Passed, t.Failed)
	}
}

// proven requires a result for each capability that has to be tested. A failure is reported
// before a missing result.
func (c inquiry) proven(must []Capability) Verdict {
	t := Tests{}
	if c.f.Tests != nil {
		t = *c.f.Tests
	}
	var bad, open, missing []string
	for _, m := range must {
		at := slices.IndexFunc(t.Trials, func(p proof.Trial) bool { return p.Path == m.Path })
		if at < 0 || t.Trials[at].Repeat < c.p.Security.Tests.Repeat {
			missing = append(missing, m.Name)
			continue
		}
		why, unfinished := c.p.Security.Tests.against(t.Trials[at])
		if m.Calls != "" {
			why, unfinished = againstCaller(t.Trials[at], m.Calls)
		}
		switch {
		case unfinished:
			open = append(open, why)
		//defence:failing-tests-block
		case why != "":
			bad = append(bad, why)
		}
	}
	said := ""
	if t.Claimed {
		said = "by a record, "
	}
	switch {
	case len(bad) > 0:
		return refused([]string{OnPush}, "%s%s", said, strings.Join(bad, "; "))
	case len(missing) > 0 && t.Unrun != "":
		return c.waitForTests("the tests of %s have to be run, and cannot be here: %s", strings.Join(missing, ", "), t.Unrun)
	case len(missing) > 0:
		return c.waitForTests("%s has to be tested, and no outcome of exactly this content is known: assent test %s", strings.Join(missing, ", "), names.ShellWord(c.f.ID))
	case len(open) > 0:
		return c.waitForTests("%s%s", said, strings.Join(open, "; "))
	case t.Claimed:
		return allowed("by a record, %s; whoever merges runs them again", holding(must, t, c.f.CallersLeft))
	}
	return allowed("%s", holding(must, t, c.f.CallersLeft))
}

// holding describes the tests that passed. left more composed tools call the changed code.
func holding(must []Capability, t Tests, left int) string {
	var own, callers []Capability
	for _, c := range must {
		if c.Calls == "" {
			own = append(own, c)
		} else {
			callers = append(callers, c)
		}
	}
	var out []string
	if len(own) > 0 {
		out = append(out, fmt.Sprintf("the tests of %s pass, mastery %s", namesOf(own), shown(t.Mastery)))
	}
	if len(callers) > 0 {
		out = append(out, fmt.Sprintf("what held of %s, which %s what changes, holds", namesOf(callers), agreeing(len(callers), "calls", "call")))
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("%s %s that too and %s not tested again", counted(left, "more composed tool"), agreeing(left, "calls", "call"), agreeing(left, "was", "were")))
	}
	return strings.Join(out, "; ")
}

// againstCaller returns the objection to a change of code that a composed tool in force calls:
// a test of the tool that passed and does not any more. Earlier failures are not the change's.
func againstCaller(t proof.Trial, called string) (why string, unfinished bool) {
	switch {
	case len(t.Against) > 0:
		return fmt.Sprintf("what holds of %s, which calls %s, does not hold with this change: %s", t.Name, called, t.Against[0]), false
	case t.Unfinished():
		return fmt.Sprintf("%s of %s, which calls %s, could not be run", counted(t.RequiredSkipped, "required test"), t.Name, called), true
	}
	return "", false
}

func (c inquiry) waitForTests(format string, args ...any) Verdict {
	return Verdict{Outcome: Waiting, Changes: []string{OnReport, OnPush}, Reason: fmt.Sprintf(format, args...)}
}

func namesOf(all []Capability) string {
	var out []string
	for _, c := range all {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// shown formats a mastery with two places, rounded down, so that it never seems to reach a bound
// that it misses.
func shown(mastery float64) string { return fmt.Sprintf("%.2f", float64(int(mastery*100+1e-6))/100) }

// against returns the objection of test results to a capability, or an empty string.
// unfinished is set if another machine could get a better result.
func (r Testing) against(t proof.Trial) (why string, unfinished bool) {
	first := ""
	if failing := slices.Concat(t.Against, t.Failing); len(failing) > 0 {
		first = ": " + failing[0]
		if len(failing) > 1 {
			first += fmt.Sprintf(" (and %d more)", len(failing)-1)
		}
	}
	switch {
	case t.State == proof.Nothing:
		return "", false
	case t.Unfinished():
		return fmt.Sprintf("%s of %s could not be run%s", counted(t.RequiredSkipped, "required test"), t.Name, first), true
	case t.RequiredFailed > 0:
		return fmt.Sprintf("%s of %s %s%s", counted(t.RequiredFailed, "required test"), t.Name, agreeing(t.RequiredFailed, "fails", "fail"), first), false
	case len(t.Against) > 0:
		return fmt.Sprintf("the tests of %s do not hold%s", t.Name, first), false
	case t.Flaky > 0:
		return fmt.Sprintf("%s of %s %s only sometimes%s", counted(t.Flaky, "test"), t.Name, agreeing(t.Flaky, "passes", "pass"), first), false
	case t.Passed == 0, t.State == suite.Incomplete:
		return fmt.Sprintf("no test shows that %s does what it says: add cases to its tests.yaml", t.Name), false
	case !(t.Mastery >= r.Mastery):
		return fmt.Sprintf("the mastery of %s is %s, below %s%s", t.Name, shown(t.Mastery), shown(r.Mastery), first), false
	case !t.Held():
		return fmt.Sprintf("the tests of %s are %s%s", t.Name, t.State, first), false
	}
	return "", false
}

// agreeing returns the form of a verb for n things.
func agreeing(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// OnlyTests reports whether tests that were not run are the only obstacle to a merge.
func (v Verdict) OnlyTests() bool {
	waits := false
	for _, part := range v.Children {
		if part.Rule == RuleTests && part.Outcome == Waiting {
			waits = true
		} else if part.Outcome != Allowed {
			return false
		}
	}
	return waits
}
