package suite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

var good, bad = exited(0, "ok", ""), exited(1, "", "no\n")

// weighted returns a case that must succeed.
func weighted(t *testing.T, name string, weight float64, required bool) suite.Case {
	c := expecting(t, "{succeeds: true}")
	c.Name, c.Weight, c.Required = name, weight, required
	return c
}

func TestJudge(t *testing.T) {
	type runs = []suite.Outcome
	for name, c := range map[string]struct {
		must, may []runs // outcomes of cases of weight 1 that are required, of weight 0.6 that are not
		state     suite.State
		mastery   float64
		verdicts  string
	}{
		"all pass":                  {[]runs{{good}}, []runs{{good}}, suite.Passed, 1, "pass pass"},
		"an optional one fails":     {[]runs{{good}}, []runs{{bad}}, suite.Passed, 0.625, "pass fail"},
		"a required one fails":      {[]runs{{bad}, {good}}, []runs{{good}, {good}}, suite.Failing, 0.6875, "fail pass pass pass"},
		"skips count for nothing":   {[]runs{{good}}, []runs{{}, {{Ended: suite.NotRun, Message: "no"}}}, suite.Passed, 1, "pass skip skip"},
		"a required one is skipped": {[]runs{{good}, {}}, nil, suite.Incomplete, 1, "pass skip"},
		"nothing was run":           {nil, []runs{{}}, suite.Incomplete, 0, "skip"},
		"no cases":                  {nil, nil, suite.Incomplete, 0, ""},
		"only optional ones fail":   {nil, []runs{{bad}}, suite.Incomplete, 0, "fail"},
		"passes the second time":    {[]runs{{bad, good}}, nil, suite.Failing, 0, "flaky"},
		"fails the third time":      {[]runs{{good}}, []runs{{good, good, bad}}, suite.Unstable, 0.625, "pass flaky"},
		"always passes":             {[]runs{{good, good, good}}, nil, suite.Passed, 1, "pass"},
		"thirds are rounded down":   {[]runs{{good}, {good}, {bad}}, nil, suite.Failing, 0.6666, "pass pass fail"},
	} {
		var cases []suite.Case
		var outcomes [][]suite.Outcome
		for _, r := range c.must {
			cases, outcomes = append(cases, weighted(t, "must", 1, true)), append(outcomes, r)
		}
		for _, r := range c.may {
			cases, outcomes = append(cases, weighted(t, "may", 0.6, false)), append(outcomes, r)
		}
		r := suite.Judge(suite.Subject{}, cases, outcomes)
		var verdicts []string
		for _, res := range r.Cases {
			verdicts = append(verdicts, string(res.Verdict))
			if (res.Cause == "") != (res.Verdict == suite.Pass) {
				t.Errorf("%s: %s with cause %q", name, res.Verdict, res.Cause)
			}
		}
		if got := strings.Join(verdicts, " "); r.State != c.state || r.Mastery != c.mastery || got != c.verdicts {
			t.Errorf("%s: %s %v %q", name, r.State, r.Mastery, got)
		}
		if r.Masters(0.6) != (c.mastery >= 0.6 && (c.state == suite.Passed || c.state == suite.Unstable)) {
			t.Errorf("%s: masters is wrong", name)
		}
	}
}

func TestReportIsTheSameWhateverItTook(t *testing.T) {
	cases := []suite.Case{weighted(t, "a", 1, true), weighted(t, "b", 0.7, false)}
	digest := func(took time.Duration, second suite.Outcome) string {
		first := good
		first.Took, second.Took = took, took
		d, err := suite.Judge(suite.Subject{Name: "x", Tree: "t"}, cases, [][]suite.Outcome{{first}, {second}}).Digest()
		if err != nil || !strings.HasPrefix(d, "sha256:") {
			t.Fatal(d, err)
		}
		return d
	}
	if digest(time.Second, bad) != digest(time.Minute, bad) {
		t.Error("the digest covers how long it took")
	}
	if digest(time.Second, exited(1, "", "at 0x7f0000001000\n")) != digest(time.Second, exited(1, "", "at 0x7f0000002000\n")) {
		t.Error("the digest covers addresses in memory")
	}
	if digest(time.Second, bad) == digest(time.Second, good) {
		t.Error("the digest covers no verdicts")
	}
}

func TestAdded(t *testing.T) {
	const old = "cases: [{name: old, expect: {succeeds: true}}"
	base, head := tool(t, "", old+"]"), tool(t, "", old+", {name: new, expect: {succeeds: true}}, {name: kept, existing: true, expect: {succeeds: true}}]")
	added := suite.Added(base, head)
	var names []string
	for _, c := range added {
		names = append(names, c.Name)
	}
	if d := cmp.Diff([]string{"new", "kept"}, names); d != "" {
		t.Fatal(d)
	}
	for _, c := range []struct {
		fresh, kept suite.Outcome
		want        string
	}{
		{bad, good, ""},
		{good, good, "suite-proves-nothing"},
		{bad, bad, "suite-existing"},
		{suite.Outcome{}, good, "suite-proves-nothing"},
	} {
		found := suite.CheckAdded(added, suite.Judge(suite.Subject{}, added, [][]suite.Outcome{{c.fresh}, {c.kept}}))
		var rules []string
		for _, d := range found {
			rules = append(rules, d.Rule)
			if d.Line == 0 || d.File != "skills/x/tests.yaml" {
				t.Errorf("no place: %v", d)
			}
		}
		if got := strings.Join(rules, " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestRegressions(t *testing.T) {
	cases := []suite.Case{weighted(t, "a", 1, false), weighted(t, "b", 1, true), weighted(t, "c", 1, true)}
	base := suite.Judge(suite.Subject{}, cases, [][]suite.Outcome{{good}, {bad}, {good}})
	head := suite.Judge(suite.Subject{}, cases, [][]suite.Outcome{{bad}, {bad}, {good}})
	found := suite.CheckRegressions(base, head)
	if len(found) != 1 || found[0].Rule != suite.RuleRegression || !strings.Contains(found[0].Message, `"a"`) {
		t.Errorf("%v", found)
	}
	if found := suite.CheckRegressions(base, base); len(found) > 0 {
		t.Errorf("%v", found)
	}
}

func TestSelection(t *testing.T) {
	c := tool(t, "", "cases: [{name: a, expect: {exit: 0}}, {name: b, tags: [smoke], expect: {exit: 0}}, {name: c, tags: [slow], expect: {exit: 0}}, {name: d, tags: [smoke, slow], expect: {exit: 0}}, {name: e, tags: [smoke], expect: {exit: 0}}, {name: f, tags: [smoke], expect: {exit: 0}}]")
	names := func(cases []suite.Case) (out string) {
		for _, c := range cases {
			out += c.Name
		}
		return out
	}
	all := suite.OwnCases(c)
	if got := names(suite.Smoke(all)); got != "bde" {
		t.Errorf("smoke: %s", got)
	}
	if got := names(suite.Tagged(all, "slow", "smoke")); got != "bcdef" {
		t.Errorf("tagged: %s", got)
	}
	if got := suite.Tagged(all); len(got) > 0 {
		t.Errorf("without a tag: %v", got)
	}
}

func TestInheritedCases(t *testing.T) {
	one := "cases: [{name: same, required: false, expect: {exit: 0}}]"
	load := func(name, more string) func() (string, string, string) {
		return func() (string, string, string) { return name, more, one }
	}
	find := func(all ...func() (string, string, string)) suite.Finder { return finder(t, all...) }
	for name, c := range map[string]struct {
		record string
		find   suite.Finder
		want   string
	}{
		"nothing":              {"", find(), ""},
		"a chain":              {"supersedes: b\n", find(load("b", "supersedes: c\n"), load("c", "")), "inherits b: same, inherits c: same"},
		"breaking":             {"supersedes: b\nbreaking: true\nchanges: [x]\n", find(load("b", "")), ""},
		"up to a breaking one": {"supersedes: b\n", find(load("b", "supersedes: c\nbreaking: true\nchanges: [x]\n"), load("c", "")), "inherits b: same"},
		"itself, in the end":   {"supersedes: b\n", find(load("b", "supersedes: c\n"), load("c", "supersedes: b\n")), suite.RuleInherited},
		"round a breaking one": {"supersedes: b\n", find(load("b", "supersedes: c\nbreaking: true\nchanges: [x]\n"), load("c", "supersedes: b\n")), suite.RuleInherited},
		"gone":                 {"supersedes: b\n", find(), ""},
	} {
		cases, ds, err := suite.InheritedCases(tool(t, c.record, ""), c.find)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, k := range cases {
			got = append(got, k.ID())
			if !k.Required {
				t.Errorf("%s: %s is not required", name, k.ID())
			}
		}
		for _, d := range ds {
			got = append(got, d.Rule)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s", name, s)
		}
	}
}

// TestNothingShown: passing only by refusing shows nothing, because an unimplemented
// capability refuses too.
func TestNothingShown(t *testing.T) {
	refuses := suite.Case{Name: "refuses", Origin: suite.Own, Demand: suite.Expects, Expect: capability.Expect{Fails: true}, Weight: 1, Required: true}
	ends := suite.Case{Name: "ends", Origin: suite.Standard, Demand: suite.Ends, Weight: 1, Required: true}
	answers := suite.Case{Name: "answers", Origin: suite.Own, Demand: suite.Expects, Expect: capability.Expect{Succeeds: true}, Weight: 1, Required: true}
	reports := func(text string) suite.Outcome { return suite.Outcome{Ended: suite.Failed, Message: text} }
	done := suite.Outcome{Ended: suite.Answered, Value: "done"}
	alone, online := suite.Subject{Alone: true}, suite.Subject{}
	for name, tc := range map[string]struct {
		of      suite.Subject
		cases   []suite.Case
		outs    []suite.Outcome
		state   suite.State
		mastery float64
	}{
		"an answer":                          {alone, []suite.Case{answers, refuses}, []suite.Outcome{done, reports("no")}, suite.Passed, 1},
		"errors alone":                       {alone, []suite.Case{refuses, ends}, []suite.Outcome{reports("n is missing"), reports("no")}, suite.Incomplete, 0},
		"errors alone, among chosen cases":   {suite.Subject{Alone: true, Part: true}, []suite.Case{refuses}, []suite.Outcome{reports("no")}, suite.Passed, 1},
		"an own case asserts that it is not": {alone, []suite.Case{refuses}, []suite.Outcome{reports("not implemented")}, suite.Incomplete, 0},
		"no host to be reached":              {online, []suite.Case{refuses, ends}, []suite.Outcome{reports("n is missing"), reports("no route to the host")}, suite.Passed, 1},
		"it refuses its input":               {online, []suite.Case{refuses}, []suite.Outcome{{Ended: suite.Failed, Message: "n is missing", Refuses: true}}, suite.Incomplete, 0},
		"it would need a host, and is not":   {online, []suite.Case{refuses, ends}, []suite.Outcome{reports("n is missing"), reports("Not implemented yet")}, suite.Failing, 0.5},
	} {
		var outcomes [][]suite.Outcome
		for _, o := range tc.outs {
			outcomes = append(outcomes, []suite.Outcome{o})
		}
		if r := suite.Judge(tc.of, tc.cases, outcomes); r.State != tc.state || r.Mastery != tc.mastery {
			t.Errorf("%s: %s, mastery %v; want %s, %v", name, r.State, r.Mastery, tc.state, tc.mastery)
		}
	}
}
