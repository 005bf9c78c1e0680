package prove

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// Check is one check and its result: Skip means that it could not be made here.
type Check struct {
	What    string        `json:"what"`
	Verdict suite.Verdict `json:"verdict"`
	Says    string        `json:"says"`
	// Shows is set if the check shows an effect of the capability, as the gate judges its tests.
	Shows bool `json:"-"`
	// Case is a server's call that would show an effect as a test case; nil if it got no answer,
	// or no case is needed.
	Case *capability.NewCase `json:"-"`
}

// Verify checks the one capability of v as far as possible while its author may not have
// completed it: its files are read strictly, a server is started and lists its methods, and its
// own cases run. It is called with a valid input, which it has to answer or, unless it is
// Written, report as not implemented. A capability that is read instead of called has to be
// found by the condition of use in its description, or by trigger if that is not empty, among
// the capabilities beside it.
//
// The error is for a machine that failed, or that cannot isolate: a *sandbox.Refusal.
func (o Options) Verify(ctx context.Context, v tool.View, path, trigger string, beside tree.View) ([]Check, error) {
	c, found, err := capability.Load(v, path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	out := []Check{read(found)}
	switch {
	case found.HasErrors():
		return out, nil
	case !c.Callable():
		check, err := o.trigger(c, trigger, v, beside)
		return append(out, check), err
	}
	t := tool.NewTrial(v, o.Policies, o.Runner, o.Now, o.Packages)
	calls := []suite.Case{happy(c.Record, "")}
	if c.Kind == capability.KindMCP {
		methods, ended, err := t.Methods(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", path, err)
		}
		if ended.Ended != suite.Answered {
			return append(out, checked("starts", failed(ended), suite.Cause(ended))), nil
		}
		names := []string{}
		calls = nil
		for _, m := range methods {
			names = append(names, m.Name)
			if m.Input != nil {
				calls = append(calls, happy(capability.Record{Input: m.Input}, m.Name))
			}
		}
		out = append(out, checked("starts", suite.Pass, "lists "+strings.Join(names, ", ")))
	}
	run, err := t.Runner(c)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", path, err)
	}
	own, err := o.cases(ctx, c, run)
	if err != nil {
		return nil, err
	}
	out = append(out, own)
	shown := own.Shows
	for _, k := range calls {
		check, err := o.called(ctx, k, run)
		if err != nil {
			return nil, err
		}
		if check.Case != nil {
			shown = true
		}
		if own.Shows || c.Kind != capability.KindMCP { // the standard tests of a tool make this call
			check.Case = nil
		}
		out = append(out, check)
	}
	if o.Written && !shown && suite.SubjectOf(c, "").Alone {
		out = append(out, checked("answers", suite.Fail, "no case gets an answer, so that nothing shows that it does anything"))
	}
	return out, nil
}

func checked(what string, v suite.Verdict, says string) Check {
	return Check{What: what, Verdict: v, Says: says}
}

// read returns the result of reading the files.
func read(found diag.List) Check {
	for _, d := range found {
		if d.Severity == diag.Error {
			return checked("reads", suite.Fail, d.String())
		}
	}
	says := "every file is as its format asks"
	if len(found) > 0 {
		says = fmt.Sprintf("every file is as its format asks; to be looked at: %d", len(found))
	}
	return checked("reads", suite.Pass, says)
}

// cases runs those of tests.yaml and, if the code is Written, the standard ones as the gate does.
func (o Options) cases(ctx context.Context, c capability.Capability, run suite.Runner) (Check, error) {
	t := &trial{run: run, cases: suite.OwnCases(c)}
	if o.Written && c.Kind != capability.KindMCP {
		standard, _ := suite.StandardCases(c)
		t.cases = append(t.cases, standard...)
	}
	if c.Kind == capability.KindMCP { // its schema does not describe the answers of cases
		for i := range t.cases {
			t.cases[i].Output = nil
		}
	}
	t.outcomes = make([][]suite.Outcome, len(t.cases))
	for i := range t.outcomes {
		t.outcomes[i] = make([]suite.Outcome, 1)
	}
	o.Workers, o.Repeat, o.Progress = max(1, o.Workers), 1, nil
	if err := o.all(ctx, []*trial{t}); err != nil {
		return Check{}, err
	}
	report := suite.Judge(suite.SubjectOf(c, ""), t.cases, t.outcomes)
	for _, r := range report.Cases {
		if r.Verdict != suite.Pass && (r.Required || r.Origin == suite.Own) {
			return checked("its cases", r.Verdict, r.ID()+": "+r.Cause), nil
		}
	}
	out := checked("its cases", suite.Pass, fmt.Sprintf("%d of %d hold", report.Passed, len(report.Cases)))
	out.Shows = report.State != suite.Incomplete
	return out, nil
}

// happy is a call that fits the input of a record; of a server, of one of its methods.
func happy(r capability.Record, method string) suite.Case {
	k := suite.Case{Name: "a call", Input: map[string]any{}}
	if method != "" {
		k.Name = "a call of " + method
	}
	made, _ := suite.StandardCases(capability.Capability{Record: r})
	for _, m := range made {
		if m.Kind == suite.Happy {
			k.Input = m.Input
			break
		}
	}
	if method != "" {
		k.Input = map[string]any{"method": method, "input": k.Input}
	}
	return k
}

func (o Options) called(ctx context.Context, k suite.Case, run suite.Runner) (Check, error) {
	call, err := k.Call()
	if err != nil {
		return Check{}, err //nolint:wrapcheck // it names the case
	}
	outcome, err := run(ctx, call)
	if err != nil {
		return Check{}, fmt.Errorf("make %s: %w", k.Name, err)
	}
	for _, way := range []struct {
		demand suite.Demand
		expect capability.Expect
		says   string
	}{
		{suite.Expects, capability.Expect{Fails: true, Error: suite.Unwritten}, "it says that it is " + suite.Unwritten},
		{suite.Answers, capability.Expect{}, "it answers"},
		{suite.Ends, capability.Expect{}, "it says why it does not answer: " + suite.Cause(outcome)},
	} {
		k.Demand, k.Expect = way.demand, way.expect
		if _, ok := k.Check(outcome); ok && outcome.Ran() {
			if o.Written && way.demand == suite.Expects {
				return checked(k.Name, suite.Fail, way.says), nil
			}
			out := checked(k.Name, suite.Pass, way.says)
			if way.demand == suite.Answers {
				out.Case = &capability.NewCase{Name: k.Name, Input: k.Input, Expect: map[string]any{"succeeds": true}}
			}
			return out, nil
		}
	}
	return checked(k.Name, failed(outcome), suite.Cause(outcome)), nil
}

// failed returns Skip for a run that this machine could not make, else Fail.
func failed(o suite.Outcome) suite.Verdict {
	if o.Ended == suite.NotRun {
		return suite.Skip
	}
	return suite.Fail
}
