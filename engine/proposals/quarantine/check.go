package quarantine

import (
	"context"
	"errors"
	"runtime"

	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/prove"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Keeper maintains the health of capabilities.
type Keeper struct {
	W     *workspace.Workspace
	Store *triallog.Health
	// Agent is the name under which proposals are opened; "" is the machine's user.
	Agent string
	// Engine reports that no one asked, so proposals are the engine's own and Agent is ignored.
	Engine bool
	// Runner isolates the tests; Packages is as for tool.Engine.
	Runner   sandbox.Runner
	Packages string
	// Progress is as for prove.Options.
	Progress func(done, total int)
}

// Checked is the test result of one capability.
type Checked struct {
	Subject
	// Before is its health before the tests.
	Before health.State
	// Refused says why the result does not count, "" if it does.
	Refused string
}

// again is how often a failed test is repeated, to recognise flaky ones.
const again = 3

// Check runs all tests of the subjects and records the results. asked reports that the user named
// them, see health.Evidence. Failed tests are repeated first.
func (k Keeper) Check(ctx context.Context, cur workspace.Session, subjects []Subject, asked bool) ([]Checked, error) {
	proofs, err := k.prove(ctx, cur, subjects, 1)
	if err != nil {
		return nil, err
	}
	var failing []int
	var twice []Subject
	for i, p := range proofs {
		if p.Report.Failed > 0 {
			failing, twice = append(failing, i), append(twice, subjects[i])
		}
	}
	repeated, err := k.prove(ctx, cur, twice, again)
	if err != nil {
		return nil, err
	}
	for at, i := range failing {
		proofs[i] = repeated[at]
	}
	var out []Checked
	for i, s := range subjects {
		done, err := k.note(ctx, cur, s, proofs[i], asked)
		if err != nil {
			return out, err
		}
		out = append(out, done)
	}
	return out, nil
}

func (k Keeper) prove(ctx context.Context, cur workspace.Session, subjects []Subject, repeat int) ([]prove.Proof, error) {
	var targets []prove.Target
	for _, s := range subjects {
		targets = append(targets, prove.Target{View: cur.View, Path: s.Path})
	}
	plan, err := prove.Plan(targets)
	if err != nil || len(plan) == 0 {
		return nil, err
	}
	options := prove.Options{
		Runner: k.Runner, Policies: cur.Policies, Packages: k.Packages, Now: k.W.Now, Workers: runtime.GOMAXPROCS(0), Repeat: repeat, Progress: k.Progress,
	}
	return options.Run(ctx, plan)
}

// Note records the results of tests in force that ran repeat times, with all cases of each
// capability. A failed required case counts only if it ran as often as Check runs it.
func (k Keeper) Note(ctx context.Context, cur workspace.Session, proofs []prove.Proof, repeat int) error {
	for _, p := range proofs {
		if p.Report.RequiredFailed > 0 && repeat < again {
			continue
		}
		s, ok, err := Look(ctx, cur, k.Store, p.Path, k.W.Now())
		if err != nil {
			return err
		}
		if ok {
			if _, err := k.note(ctx, cur, s, p, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k Keeper) note(ctx context.Context, cur workspace.Session, s Subject, p prove.Proof, asked bool) (Checked, error) {
	ev := health.Of(health.Suite, p.Report, p.Digest, k.W.Now())
	ev.Asked = asked
	if p.Diagnostics.HasErrors() {
		ev.Outcome, ev.Why = health.Nothing, p.Diagnostics[0].Message
	}
	out := Checked{Subject: s, Before: s.Health.State}
	var err error
	after := s.Health
	if ev.Outcome != health.Nothing {
		var before health.Entry
		o := ev.Observation(s.Name, s.Digest, s.Version)
		before, after, err = k.Store.Note(ctx, o.Neat().Summarised(cur.Policies.Retention.Trials.NoSummaries))
		out.Before = before.State
	}
	var illegal *health.Illegal
	if errors.As(err, &illegal) {
		out.Refused, err = illegal.Why, nil
	} else if ev.Outcome == health.Nothing {
		out.Refused = "nothing was shown: " + ev.Why
	}
	out.Health, out.Due = after, after.Due(k.W.Now(), s.Interval)
	return out, err
}
