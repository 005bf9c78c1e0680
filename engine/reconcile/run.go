package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

// rounds bounds how often one pass observes again. Each round settles at least one
// subject, and what is still to be done then is done by the next pass.
const rounds = 1000

// Run makes one pass. The results are in the order in which things were done; with
// dryRun they are what the first round would do. A failure of the world ends the
// pass; the results so far come with the error.
func Run(ctx context.Context, w *workspace.Workspace, dryRun bool) ([]Result, error) {
	p := pass{w: w, began: w.Now(), tried: map[Key]bool{}}
	var err error
	if p.last, err = loadLast(w); err != nil {
		return nil, err
	}
	for range rounds {
		more, err := p.round(ctx, dryRun)
		if err != nil {
			return p.results, err
		}
		if !more || dryRun {
			break
		}
	}
	if dryRun {
		return p.results, nil
	}
	return p.results, saveLast(w, last{At: p.began, Main: p.main})
}

// pass is one run of the loop.
type pass struct {
	w       *workspace.Workspace
	began   time.Time
	last    last
	main    tree.Hash
	tried   map[Key]bool
	results []Result
}

// round observes, decides and applies once; more is false when nothing was left.
func (p *pass) round(ctx context.Context, dryRun bool) (more bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	cur, err := p.w.Current(ctx)
	if err != nil {
		return false, err
	}
	o, err := observe(ctx, p.w, cur)
	if err != nil {
		return false, err
	}
	p.main = o.Main
	o.Last, o.Tried = p.last.At, p.tried
	o.Merged = !p.last.Main.IsZero() && p.last.Main != o.Main
	actions := Decide(o, cronNext)
	for _, a := range actions {
		if dryRun {
			p.results = append(p.results, Result{Subject: a.Subject, Action: a.Do, Outcome: Would, Workflow: a.Workflow})
			continue
		}
		r, err := apply(ctx, p.w, a)
		if err != nil {
			return false, fmt.Errorf("%s %s: %w", a.Do, a.Subject, err)
		}
		p.tried[o.key(a)] = r.ok()
		p.results = append(p.results, r)
	}
	return len(actions) > 0, nil
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
