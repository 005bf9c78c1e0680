package prove

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// Options configure a run of tests.
type Options struct {
	// Runner isolates the code; Policies are those in force; Packages and Now are as for
	// tool.Engine.
	Runner   sandbox.Runner
	Policies policy.Policies
	Packages string
	Now      func() time.Time
	// Written is set if the code should be complete, so "not implemented" is no answer; see Verify.
	Written bool
	// Workers is how many cases run at a time, Repeat how often each is run; at least one.
	Workers, Repeat int
	// Progress, if not nil, is called after each run, by one goroutine at a time.
	Progress func(done, total int)
}

// Proof has the test results of one capability.
type Proof struct {
	Path string `json:"path"`
	// Calls is as in Target.
	Calls  string       `json:"calls,omitempty"`
	Report suite.Report `json:"report"`
	Digest string       `json:"digest"`
	// Base has the results of the earlier and the new cases on the tree in force; null if
	// nothing ran there.
	Base        *suite.Report `json:"base"`
	Diagnostics diag.List     `json:"diagnostics"`
}

// Held reports whether the tests prove the capability: all required cases passed, no result
// changed between runs, and no case that passed before fails. For a caller of changed
// capabilities only the last counts.
func (p Proof) Held() bool {
	held := p.Report.State == suite.Passed
	if p.Calls != "" {
		held = p.Report.State != suite.Incomplete || p.Report.RequiredSkipped == 0
	}
	return held && !p.Diagnostics.HasErrors()
}

// trial is one batch of cases upon one capability.
type trial struct {
	run      suite.Runner
	cases    []suite.Case
	outcomes [][]suite.Outcome
}

// Run runs a plan. The error is for a machine that failed, or that cannot isolate: a
// *sandbox.Refusal.
func (o Options) Run(ctx context.Context, plan []Planned) ([]Proof, error) {
	o.Workers, o.Repeat = max(1, o.Workers), max(1, o.Repeat)
	heads, bases := make([]*trial, len(plan)), make([]*trial, len(plan))
	for i, p := range plan {
		var err error
		if p.Diagnostics.HasErrors() {
			continue
		}
		if heads[i], err = o.trial(p.target.View, p.Capability, p.Cases); err != nil {
			return nil, err
		}
		if p.Base == nil {
			continue
		}
		if bases[i], err = o.trial(p.target.Base, p.Base.Capability, slices.Concat(p.Base.Cases, p.Base.Added)); err != nil {
			return nil, err
		}
	}
	if err := o.all(ctx, slices.Concat(heads, bases)); err != nil {
		return nil, err
	}
	var out []Proof
	for i, p := range plan {
		proof, err := p.proof(heads[i], bases[i])
		if err != nil {
			return nil, err
		}
		out = append(out, proof)
	}
	return out, nil
}

func (o Options) trial(v tool.View, c capability.Capability, cases []suite.Case) (*trial, error) {
	run, err := tool.NewTrial(v, o.Policies, o.Runner, o.Now, o.Packages).Runner(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the tests of %s: %w", c.Name, err)
	}
	t := &trial{run: run, cases: cases, outcomes: make([][]suite.Outcome, len(cases))}
	for i := range t.outcomes {
		t.outcomes[i] = make([]suite.Outcome, o.Repeat)
	}
	return t, nil
}

// all runs everything, a bounded number at a time.
func (o Options) all(ctx context.Context, trials []*trial) error {
	trials = slices.DeleteFunc(trials, func(t *trial) bool { return t == nil })
	total := 0
	for _, t := range trials {
		total += len(t.cases) * o.Repeat
	}
	var mu sync.Mutex
	done := 0
	count := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	pool, within := errgroup.WithContext(ctx)
	pool.SetLimit(o.Workers)
	for _, t := range trials {
		for i := range t.cases {
			for again := range o.Repeat {
				pool.Go(func() error {
					if err := context.Cause(within); err != nil {
						return err //nolint:wrapcheck // said below
					}
					defer count()
					return t.one(within, i, again)
				})
			}
		}
	}
	if err := pool.Wait(); err != nil {
		return fmt.Errorf("run tests: %w", err)
	}
	return nil
}

func (t *trial) one(ctx context.Context, i, again int) error {
	call, err := t.cases[i].Call()
	if err != nil {
		return err //nolint:wrapcheck // it names the case
	}
	t.outcomes[i][again], err = t.run(ctx, call)
	if err != nil {
		return fmt.Errorf("case %q: %w", t.cases[i].ID(), err)
	}
	return nil
}

// proof judges the results.
func (p Planned) proof(head, base *trial) (Proof, error) {
	out := Proof{Path: p.target.Path, Calls: p.target.Calls, Diagnostics: append(diag.List{}, p.Diagnostics...)}
	var outcomes [][]suite.Outcome
	if head != nil {
		outcomes = head.outcomes
	}
	tested := suite.SubjectOf(p.Capability, p.tree)
	tested.Part = p.part
	out.Report = suite.Judge(tested, p.Cases, outcomes)
	out.Diagnostics.Add(suite.CheckInherited(out.Report)...)
	if base != nil {
		subject := suite.SubjectOf(p.Base.Capability, p.Base.tree)
		whole := suite.Judge(subject, base.cases, base.outcomes)
		earlier := len(p.Base.Cases)
		out.Base = &whole
		out.Diagnostics.Add(suite.CheckAdded(p.Base.Added, suite.Judge(subject, p.Base.Added, base.outcomes[earlier:]))...)
		was := suite.Judge(subject, p.Base.Cases, base.outcomes[:earlier])
		if p.target.Calls != "" {
			out.Diagnostics.Add(suite.CheckCaller(was, out.Report, p.Capability.RecordPos("input"))...)
		} else {
			out.Diagnostics.Add(suite.CheckRegressions(was, out.Report)...)
		}
	}
	out.Diagnostics.Sort()
	var err error
	if out.Digest, err = out.Report.Digest(); err != nil {
		return out, fmt.Errorf("name the report on %s: %w", out.Path, err)
	}
	return out, nil
}
