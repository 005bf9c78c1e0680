package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace"
)

// rounds limits how often one pass observes again. Each round settles at least one subject;
// the next pass does the rest.
const rounds = 1000

// Pass is the result of one pass and its last observation.
type Pass struct {
	// Results are in the order of execution; in a dry run, they are what the first round
	// would do.
	Results []Result
	// Open are the open proposals. Damaged are those with unreadable records or commits,
	// which delay no other.
	Open    []Pull
	Damaged []*forge.Damaged
	// Health counts the capabilities with code that are in force by their health here,
	// unless the pass failed.
	Health map[health.State]int
	// Work counts what active runs do.
	Work Work
	// Next is when a schedule of the workflows in force fires next; zero for never.
	Next time.Time
}

// Options configure a pass.
type Options struct {
	// DryRun reports the actions without taking them.
	DryRun bool
	// Since is the assumed age of the previous pass, for the schedules of direct workflows,
	// if this clone remembers none; 0 if not given.
	Since time.Duration
	// Workers run scripts beside the pass; without any, the pass waits for its scripts, which run side by side.
	Workers *task.Workers
}

// Run makes one pass. A failure on one subject stops no other. It is among the results and,
// unless only that subject is damaged, in the error. If the observation itself fails, or
// ctx ends, the pass ends with what was done so far.
func Run(ctx context.Context, w *workspace.Workspace, opt Options) (Pass, error) {
	p := pass{Options: opt, w: w, began: w.Now(), tried: map[Key]bool{}}
	dryRun := opt.DryRun
	var err error
	if p.last, err = loadLast(w); err != nil {
		return p.Pass, err
	}
	if !dryRun {
		if p.Workers == nil {
			p.Workers = task.Within(ctx, w)
			defer p.Workers.Stop()
		}
		p.tend(ctx)
	}
	for range rounds {
		more, err := p.round(ctx)
		if err != nil {
			p.recordError(err)
			return p.Pass, errors.Join(p.failed...)
		}
		if !more || dryRun {
			break
		}
	}
	if !dryRun {
		p.tend(ctx) // what a round could not show
		p.measure(ctx)
		p.keepTrials(ctx)
	}
	if dryRun || len(p.failed) > 0 { // failed actions are due again
		return p.Pass, errors.Join(p.failed...)
	}
	return p.Pass, saveLast(w, last{At: p.began, Main: p.main, Known: p.known})
}

// pass is one run of the loop.
type pass struct {
	Pass
	Options
	w      *workspace.Workspace
	began  time.Time
	last   last
	main   tree.Hash
	known  *known
	tried  map[Key]bool
	failed []error
	// listing is the time that servers took to list their methods.
	listing time.Duration
}

// tend updates what the service, if there is one, shows, and fetches what happened there.
// An error is recorded once and stops nothing. A proposal that was changed improperly there
// is a result, not a failure of the pass.
func (p *pass) tend(ctx context.Context) {
	strays, err := forge.Strays(p.w.Forge.Tend(ctx))
	for _, s := range strays {
		r := Result{Subject: s.ID, Action: DoShow, Outcome: Refused, Reason: s.Why}
		if !slices.ContainsFunc(p.Results, func(told Result) bool {
			return told.Subject == r.Subject && told.Action == r.Action && told.Reason == r.Reason
		}) {
			p.Results = append(p.Results, r)
		}
	}
	if err != nil {
		p.recordError(err)
	}
}

// recordError records an error once.
func (p *pass) recordError(err error) {
	if !slices.ContainsFunc(p.failed, func(told error) bool { return told.Error() == err.Error() }) {
		p.failed = append(p.failed, err)
	}
}

// round observes, decides and applies once; more is false when nothing was left.
func (p *pass) round(ctx context.Context) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	cur, err := p.w.Session(ctx)
	if err != nil {
		return false, err
	}
	o, err := observe(ctx, cur)
	if err != nil {
		return false, err
	}
	p.main, p.Open, p.Damaged, p.Work = o.Main, o.Pulls, o.Damaged, o.Work
	p.Next = earliest(o.Workflows, o.Now)
	o.Last, o.Known, o.Tried = p.last.At, p.last.before(p.began), p.tried
	if p.Since > 0 {
		o.Since = p.began.Add(-p.Since)
	}
	o.Merged = !p.last.Main.IsZero() && p.last.Main != o.Main
	if err := o.observeStarts(ctx, p.w, cronNext); err != nil {
		return false, err
	}
	p.known = p.last.after(o)
	actions := Decide(o, cronNext)
	if p.DryRun {
		return len(actions) > 0, p.foresee(ctx, actions)
	}
	for rest := actions; len(rest) > 0; {
		n := together(rest)
		for i, out := range p.apply(ctx, rest[:n]) {
			if err := p.record(ctx, o.key(rest[i]), out); err != nil {
				return false, err
			}
		}
		rest = rest[n:]
	}
	return len(actions) > 0, nil
}

// foresee records what actions would do.
func (p *pass) foresee(ctx context.Context, actions []Action) error {
	for _, a := range actions {
		if a.Do == DoUnqueue {
			continue // whether there is anything to take back shows when it is tried
		}
		r, err := foresee(ctx, p.w, a)
		if _, world := forge.Damages(err); world != nil {
			return fmt.Errorf("%s %s: %w", a.Do, a.Subject, err)
		}
		p.Results = append(p.Results, r)
	}
	return nil
}

// together is the number of first actions that are carried out side by side: runs go on with each other.
func together(actions []Action) int {
	n := slices.IndexFunc(actions, func(a Action) bool { return a.Do != DoAdvance })
	if n < 0 {
		n = len(actions)
	}
	return max(n, 1)
}

// applied is what an action came to.
type applied struct {
	Result
	err error
}

func (p *pass) apply(ctx context.Context, actions []Action) []applied {
	out := make([]applied, len(actions))
	p.Workers.Beside(len(out), func(i int) {
		r, err := apply(ctx, p.w, actions[i], p.Since > 0 && p.last.At.IsZero(), p.Workers, &p.listing)
		if err != nil {
			err = fmt.Errorf("%s %s: %w", r.Action, r.Subject, err)
		}
		out[i] = applied{r, err}
	})
	return out
}

// record adds what an action came to. It fails if the pass was ended.
func (p *pass) record(ctx context.Context, key Key, out applied) error {
	if out.err != nil {
		if ctx.Err() != nil {
			return out.err
		}
		out.Outcome, out.Reason = Failed, out.err.Error()
		if _, world := forge.Damages(out.err); world != nil {
			p.failed = append(p.failed, out.err)
		}
	}
	p.tried[key] = out.ok()
	if out.Outcome != Nothing {
		p.Results = append(p.Results, out.Result)
	}
	return nil
}

// earliest is when the first schedule fires after t; zero for never.
func earliest(all []workflow.Workflow, t time.Time) time.Time {
	var first time.Time
	for _, w := range all {
		if w.On.Schedule == "" {
			continue
		}
		if at, ok := cronNext(w.On.Schedule, t); ok && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// cronNext is when an expression of five fields fires next.
func cronNext(expression string, t time.Time) (time.Time, bool) {
	s, err := cron.ParseStandard(expression)
	if err != nil {
		return time.Time{}, false
	}
	next := s.Next(t)
	return next, !next.IsZero()
}
