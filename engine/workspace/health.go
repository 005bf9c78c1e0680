package workspace

import (
	"context"
	"maps"
	"slices"

	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// HealthOf returns the health of the capabilities of a workspace, by its trials and the policies in force.
func HealthOf(s Session) *triallog.Health {
	r := s.Policies.Retention
	return triallog.NewHealth(TrialsOf(s), r.Trials.Writers, health.Thresholds{Degraded: r.DegradedAfter, RetireFailures: r.RetireAfter, RetireBelow: r.RetireBelow})
}

// TrialsOf returns the trials of a workspace, with the writers that the policies in force list.
func TrialsOf(s Session) triallog.Log {
	return triallog.New(s.Repo, s.ID(), s.Now, slices.Collect(maps.Values(s.Policies.Retention.Trials.Writers))...)
}

// KeepTrials commits the acknowledged trials of this installation, and erases those that policies/retention.yaml
// keeps no longer.
func KeepTrials(ctx context.Context, s Session) error {
	l := TrialsOf(s)
	if err := l.Commit(ctx); err != nil {
		return err
	}
	return triallog.Retain(ctx, l, s.Policies.Retention.Trials.EraseAfter)
}
