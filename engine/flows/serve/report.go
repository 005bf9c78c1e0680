package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func (d *Daemon) began(at time.Time) { d.health.began(at) }

// ended reports a pass to health, log and metrics; what metrics count is in the log.
func (d *Daemon) ended(out Outcome, err error, began, at time.Time) {
	failures := d.health.ended(err == nil, at)
	defer d.metrics.ended(out, failures, began, at)
	for _, r := range out.Results {
		d.Log.Log(context.Background(), level(r.Outcome), "action", "action", r.Action, "subject", r.Subject, "outcome", r.Outcome,
			"reason", r.Reason, "proposal", r.Proposal, "workflow", r.Workflow)
	}
	for _, damaged := range out.Damaged {
		d.Log.Warn("damaged proposal", "proposal", damaged.ID, "where", damaged.Where, "error", damaged.Err)
	}
	if out.Pulled != nil {
		for _, problem := range out.Pulled.Problems {
			d.Log.Warn("not pulled", "error", problem)
		}
		d.logOverridden(*out.Pulled)
	}
	if out.Pushed != nil {
		for _, held := range out.Pushed.Held {
			d.Log.Warn("not published", "what", held.What, "why", held.Why)
		}
		d.logOverridden(out.Pushed.Pulled...)
	}
	told := []any{"took", at.Sub(began).Round(time.Millisecond).String(), "actions", len(out.Results), "open", len(out.Open)}
	if err != nil {
		d.Log.Error("pass failed", append(told, "in_a_row", failures, "error", err)...)
		return
	}
	d.Log.Info("pass", told...)
}

// logOverridden reports what people decided here about runs and what does not count.
func (d *Daemon) logOverridden(pulled ...exchange.Pulled) {
	for _, p := range pulled {
		for _, of := range p.Runs {
			for _, a := range of.Aside {
				if stands, next := of.State.Overridden(a.Record); stands != "" {
					d.Log.Warn("decision lost", "run", of.ID, "job", a.Record.Job, "decision", a.Record.Decision(), "by", a.Record.By, "stands", stands, "next", next)
				}
			}
		}
	}
}

// Script reports a script that begins or ended beside the passes. After the end it asks for a pass,
// which does what is due then.
func (d *Daemon) Script(out task.Advanced, err error) {
	for _, r := range out.Steps {
		if d.metrics.job(r); r.Kind == run.Ended {
			d.Log.Log(context.Background(), level(string(r.Outcome)), "run", "run", out.ID, "workflow", out.Workflow, "outcome", string(r.Outcome), "reason", r.Reason)
			continue
		}
		d.Log.Info("script", "run", out.ID, "job", r.Job, "attempt", r.Attempt, "record", string(r.Kind), "reason", r.Reason)
	}
	if err != nil {
		d.Log.Warn("script failed to run", "run", out.ID, "error", err)
	}
	if out.Waits != "" {
		d.Log.Info("script waits", "run", out.ID, "reason", out.Waits)
	}
	if len(out.Steps) > 0 && out.Steps[0].Kind != run.Begun { // otherwise nothing new is due
		d.Wake()
	}
}

func level(outcome string) slog.Level {
	switch outcome {
	case reconcile.Left, reconcile.Refused, reconcile.Failed:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}
