package serve

import (
	"context"
	"log/slog"
	"time"

	"github.com/assent-dev/assent/engine/flows/reconcile"
)

func (d *Daemon) began(at time.Time) { d.health.began(at) }

// ended reports a pass to health, metrics and log.
func (d *Daemon) ended(out Outcome, err error, began, at time.Time) {
	failures := d.health.ended(err == nil, at)
	d.metrics.ended(out, failures, began, at)
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
	}
	if out.Pushed != nil {
		for _, held := range out.Pushed.Held {
			d.Log.Warn("not published", "what", held.What, "why", held.Why)
		}
	}
	told := []any{"took", at.Sub(began).Round(time.Millisecond).String(), "actions", len(out.Results), "open", len(out.Open)}
	if err != nil {
		d.Log.Error("pass failed", append(told, "in_a_row", failures, "error", err)...)
		return
	}
	d.Log.Info("pass", told...)
}

func level(outcome string) slog.Level {
	switch outcome {
	case reconcile.Left, reconcile.Refused, reconcile.Failed:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}
