package tool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Turned is a capability that this call took out of use.
type Turned struct {
	Capability capability.Capability
	Health     health.Entry
}

// held reads the current health of the content. It refuses content in quarantine, whichever
// process put it there, and capabilities that a human stopped.
func (t track) held(j *job) error {
	if err := t.halted(j.capability.Name); err != nil {
		return err
	}
	if t.store == nil {
		return nil
	}
	at, err := t.view.Lookup(j.capability.Path)
	if err != nil {
		return fmt.Errorf("look up %s: %w", j.capability.Path, err)
	}
	known, err := t.store.Read(j.capability.Name)
	if err != nil {
		return err
	}
	j.digest = at.Hash.String()
	j.health = known.Entry(j.digest, j.capability.Version)
	//defence:quarantine-is-looked-up
	if err := quarantined(j.capability, j.health); err != nil {
		return err
	}
	return nil
}

// quarantined returns the refusal of a content in quarantine: why, since when, and a fix.
func quarantined(c capability.Capability, h health.Entry) error {
	if h.State.Runs() {
		return nil
	}
	text := fmt.Sprintf("%s %s is %s since %s: %s", c.Name, c.Version, h.State, h.Since.UTC().Format("2006-01-02 15:04 UTC"), h.Why)
	hint := "assent health " + names.ShellWord(c.Name) + " shows it, and the proposal to repair it; "
	if h.State == health.Rejected {
		return refuse(Quarantined, hint+"a repair starts with a clean record, and so does assent health --reset "+names.ShellWord(c.Name)+" if this machine was at fault", "%s", text)
	}
	return refuse(Quarantined, hint+"a repair starts with a clean record, and assent health --check "+names.ShellWord(c.Name)+" ends it if all tests pass", "%s", text)
}

// attempts bounds the tries of a flaky capability. One with effects elsewhere is tried once,
// because a failed attempt may have had its effect.
const attempts = 3

func (j job) attempts() int {
	r := j.capability.Record
	again := j.health.State == health.Flaky && j.capability.Kind == capability.KindTool && r.Run.Runtime != capability.Starlark &&
		!r.Run.Write && len(r.SideEffects)+len(r.Requires.Hosts) == 0
	if again {
		return attempts
	}
	return 1
}

// try charges and runs a call, and retries it where the capability is flaky. A call that was
// cancelled beforehand neither costs nor counts.
func (e *Engine) try(ctx context.Context, j job, res *Result) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("call %s: %w", j.capability.Name, err)
	}
	var last error
	for n := 1; ; n++ {
		if err := e.account().charge(ctx, j, res); err != nil {
			if n > 1 { // the session has no room for another attempt: return the last failure
				return last
			}
			return err
		}
		last = e.run(ctx, j, res)
		if n > 1 {
			res.Attempts = n
		}
		var r *refusal
		if n >= j.attempts() || !errors.As(last, &r) || !r.kind.Started() || r.kind == Interrupted {
			return last
		}
	}
}

// outcomeOf returns what a call shows about the capability; ran is false if nothing ran. A call
// that the caller ended or shortened, an input that it refuses, and an error that its record
// attributes to others count neither for nor against it.
func (t track) outcomeOf(j job, res Result, failed error) (o health.Outcome, ran bool) {
	var r *refusal
	switch {
	case failed == nil:
		return health.Passed, true
	case !errors.As(failed, &r) || !r.kind.Started():
		return health.Nothing, false
	case r.kind == Interrupted, r.known, res.last != "", r.kind == TimedOut && j.timeout < t.permits.limitOf(j.capability, 0):
		return health.Nothing, true
	}
	return health.Failed, true
}

// callKey names caller and input of a call by a digest.
func callKey(agent string, j job) string {
	sum := sha256.Sum256([]byte(agent + "\x00" + j.method + "\x00" + string(j.input)))
	return hex.EncodeToString(sum[:8])
}

// note records a trial, and reports where it takes the content out of use.
func (t track) note(ctx context.Context, j job, o trial.Observation) error {
	before, after, err := t.store.Note(ctx, o)
	var illegal *health.Illegal
	switch {
	case errors.As(err, &illegal): // another process knew better meanwhile
		return nil
	case err != nil:
		return fmt.Errorf("record a trial of %s: %w", j.capability.Name, err)
	case before.State.Runs() && !after.State.Runs() && t.turned != nil:
		t.turned(Turned{j.capability, after})
	}
	return nil
}

// line is a text as one line of at most 200 characters.
func line(s string) string {
	const most = 200
	out := []rune(strings.Join(strings.Fields(s), " "))
	if len(out) > most {
		return string(out[:most-1]) + "…"
	}
	return string(out)
}

// preflight runs the smoke tests of a content without a record here, before its first use. If
// it has none, or they cannot be run, nothing is concluded.
func (e *Engine) preflight(ctx context.Context, j *job) error {
	if e.Health == nil || j.health.State != health.Pending {
		return nil
	}
	_, err := smoked(ctx, e, j)
	return err
}

// smoked runs the smoke tests of a content, and notes what they show.
func smoked(ctx context.Context, e *Engine, j *job) (ran int, err error) {
	cases, err := e.smoke(j.capability)
	if err != nil || len(cases) == 0 {
		return 0, err
	}
	report, err := e.smokes(ctx, *j, cases)
	if err = cmp.Or(ctx.Err(), err); err != nil { // an interrupted case says nothing
		return 0, unavailable(j.capability.Name, err)
	}
	ev := health.Of(health.Smoke, report, "", e.Now())
	if ev.Outcome != health.Passed && ev.Outcome != health.Nothing {
		ev.Why = line("smoke tests before the first use: " + ev.Why)
	}
	if ev.Outcome != health.Nothing {
		o := ev.Observation(j.capability.Name, j.digest, j.capability.Version)
		if err := e.track().note(ctx, *j, o.Neat().Summarised(e.Policies.Retention.Trials.NoSummaries)); err != nil {
			return 0, err
		}
	}
	return len(cases), e.track().held(j)
}

// smoke are the cases of the preflight: the capability's own, then inherited ones.
func (e *Engine) smoke(c capability.Capability) ([]suite.Case, error) {
	inherited, _, err := suite.InheritedCases(c, func(name string) (capability.Capability, bool, error) {
		was, _, err := e.catalogue().find(name)
		var r *refusal
		if errors.As(err, &r) {
			return was, false, nil
		}
		return was, err == nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("plan the smoke tests of %s: %w", c.Name, err)
	}
	cases := suite.Smoke(append(suite.OwnCases(c), inherited...))
	if c.Kind == capability.KindMCP { // its record's schema is of no method
		for i := range cases {
			cases[i].Output = nil
		}
	}
	return cases, nil
}

// smokes runs the cases as tests are run, with made-up secrets. After a failure it runs them
// twice more, to tell failing from flaky.
func (e *Engine) smokes(ctx context.Context, j job, cases []suite.Case) (suite.Report, error) {
	trial := NewTrial(e.View, e.Policies, nil, e.Now, e.Packages)
	trial.engine.Runner = e.Runner
	run, err := trial.Runner(j.capability)
	if err != nil {
		return suite.Report{}, err
	}
	subject := suite.SubjectOf(j.capability, j.digest)
	subject.Part = true
	outcomes := make([][]suite.Outcome, len(cases))
	for again := range attempts {
		for i, c := range cases {
			call, err := c.Call()
			if err != nil {
				return suite.Report{}, err //nolint:wrapcheck // it names the case
			}
			out, err := run(ctx, call)
			if err != nil {
				return suite.Report{}, err
			}
			outcomes[i] = append(outcomes[i], out)
		}
		if report := suite.Judge(subject, cases, outcomes); again == attempts-1 || report.Failed+report.Flaky == 0 {
			return report, nil
		}
	}
	return suite.Report{}, errors.New("unreachable")
}
