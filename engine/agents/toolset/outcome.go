package toolset

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// reportOutcome records the agent's claim how a capability did, or else its mission.
func reportOutcome(ctx context.Context, a *Agent, in ReportInput) (ReportOutput, error) {
	out := ReportOutput{Runs: []Run{}, Next: "continue"}
	if !slices.Contains(trial.Outcomes(), in.Outcome) {
		return out, refuse("report it with outcome success, failure or partial", "%q is no outcome", in.Outcome)
	}
	cur, err := a.Look(ctx)
	if err != nil {
		return out, err
	}
	o := trial.Observation{
		At: cur.Now(), Source: trial.Self, Agent: a.Name, Model: a.Model, Mission: cmp.Or(in.Mission, a.Mission), Task: in.Goal, Outcome: in.Outcome, Diagnosis: in.Reason,
	}
	trials := workspace.TrialsOf(cur)
	if in.Mission != "" || in.Capability == "" {
		if err := owns(a, trials, o.Mission); err != nil {
			return out, err
		}
	}
	all, err := claims(cur, trials, o, in.Capability)
	if err != nil {
		return out, err
	}
	claimed := len(all)
	if all, err = judged(in, all); err != nil {
		return out, err
	}
	for i := range all {
		all[i] = all[i].Neat().Summarised(cur.Policies.Retention.Trials.NoSummaries)
		if err := all[i].Check(); err != nil {
			return out, refuse("correct it, and report again", "%s", err)
		}
	}
	if _, err := trials.Record(ctx, all...); err != nil {
		return out, err
	}
	out.Recorded = claimed
	return out, nil
}

// judged adds the agent's satisfaction with each capability of its claims.
func judged(in ReportInput, claims []trial.Observation) ([]trial.Observation, error) {
	s := in.Satisfaction
	switch {
	case s == nil:
		return claims, nil
	case !trial.IsSatisfaction(*s):
		return nil, refuse("give a satisfaction from 0 to 1", "%v is none", *s)
	}
	seen := map[string]bool{}
	for _, o := range claims {
		if seen[o.Capability] {
			continue
		}
		seen[o.Capability] = true
		c := trial.Critique{Satisfaction: trial.Hundredths(*s), By: "agent"}
		if in.Reason != "" && in.Outcome != trial.Success {
			c.Issues = []string{in.Reason}
		}
		claims = append(claims, trial.Observation{
			At: o.At, Source: o.Source, Level: trial.Judged, Agent: o.Agent, Mission: o.Mission, Capability: o.Capability, Version: o.Version, Blob: o.Blob, Critic: &c,
		})
	}
	return claims, nil
}

// owns refuses a mission of another agent.
func owns(a *Agent, trials triallog.Log, id string) error {
	m, err := triallog.Mission(trials, id)
	if err == nil && m.Agent != "" && m.Agent != a.Name {
		err = refuse("report about your own missions; a person ends or corrects another's: assent mission end", "the mission %s is not of the agent %s", id, a.Name)
	}
	return err
}

// claims are the trials of a reported outcome.
func claims(cur workspace.Session, trials triallog.Log, o trial.Observation, name string) ([]trial.Observation, error) {
	if name != "" {
		known, err := cur.View.Named(name)
		if err != nil || len(known) == 0 {
			return nil, cmp.Or(err, refuse("find says what is in force; without an outcome, report says that it is missing", "%s is not in force", name))
		}
		c, _, err := capability.Glance(cur.View, known[0])
		if err != nil {
			return nil, err
		}
		if !c.Record.Agents.Admits(o.Agent) {
			return nil, refuse("report how those did that you may use", "%s is not for the agent %s", c.Name, o.Agent)
		}
		at, err := cur.View.Lookup(c.Path)
		o.Level, o.Capability, o.Version, o.Blob = trial.Followed, c.Name, c.Version, at.Hash.String()
		return []trial.Observation{o}, err
	}
	if o.Mission == "" {
		return nil, refuse("name a capability, or the mission by its id", "no mission is named, and the client has none")
	}
	m, err := triallog.Mission(trials, o.Mission)
	if err != nil {
		return nil, err
	}
	out, err := m.Verdicts(o)
	var ended *trial.EndedError
	if errors.Is(err, trial.ErrUnused) || errors.As(err, &ended) {
		return nil, refuse("report how a capability did by its name", "nothing was recorded: %s", err)
	}
	return out, err
}
