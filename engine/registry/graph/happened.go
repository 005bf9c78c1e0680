package graph

import (
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// hours is how long a job took, 0 while it goes on.
func (j Job) hours() float64 {
	if j.Ended.Before(j.Began) {
		return 0
	}
	return j.Ended.Sub(j.Began).Hours()
}

// phase is the phase of a learning session.
func (j Job) phase() string {
	switch j.Name {
	case "research":
		return "research"
	case "validate":
		return "validation"
	}
	return "practice"
}

// job adds a job as a learning session, and what it found out.
func (b *builder) job(j Job) {
	id := b.capability(j.Capability, nil)
	at := key(j.Run + "/" + j.Name)
	p := Properties{
		"name": j.Name + " " + names.Fold(j.Capability), "capability_id": id, "phase": j.phase(), "job": j.Name, "run": j.Run, "status": j.Status,
		"started_at": stamp(j.Began), "completed_at": stamp(j.Ended), "attempts": int64(j.Attempts), "successes": int64(max(0, j.Attempts-j.Failures)),
		"hours": j.hours(), "notes": j.Notes, "proposal": j.Proposal,
	}
	if j.Cost > 0 {
		p["cost_incurred"] = j.Cost
	}
	agent := ""
	if j.Agent != "" {
		agent = b.agent(j.Agent)
		p["agent_id"] = agent
	}
	link := func(l Label, did, does Type, p Properties) {
		n := b.node(l, at, p)
		b.edge(n, does, id, nil)
		if agent != "" {
			b.edge(agent, did, n, nil)
		}
	}
	link(LearningSession, Practiced, Improves, p)
	switch j.phase() {
	case "research":
		var found []string
		for _, question := range slices.Sorted(maps.Keys(j.Findings)) {
			found = append(found, question+": "+j.Findings[question])
		}
		link(Research, Researched, Enables, Properties{
			"name": "research " + names.Fold(j.Capability), "capability_id": id, "status": j.Status, "confidence": j.Confidence, "findings": found, "completed_at": stamp(j.Ended),
		})
	case "validation":
		link(Validation, Validated, Confirms, Properties{
			"name": "validate " + names.Fold(j.Capability), "capability_id": id, "kind": "review", "status": j.Status, "confidence": j.Confidence, "completed_at": stamp(j.Ended),
		})
	}
}

// trials adds executions, tests, missions and errors that no record explains.
func (b *builder) trials(all []trial.Kept) {
	all = slices.Clone(all)
	order.Sort(all, func(t, u trial.Kept) int { return u.Compare(t) })
	missions := map[string]*trial.Mission{}
	unexplained := map[[2]string]int{}
	for _, t := range all {
		switch t.Level {
		case trial.Loaded, trial.Followed:
			b.execution(t)
		case trial.Suite:
			b.tests(t)
		case trial.Listed, trial.Verdict, trial.Smoke, trial.Reset, trial.Judged:
		}
		if t.Error != "" && t.Pattern == "" {
			unexplained[[2]string{t.Capability, t.Error}]++
		}
		if t.Mission != "" {
			at := string(t.Writer) + "/" + t.Mission
			if missions[at] == nil {
				missions[at] = &trial.Mission{ID: t.Mission}
			}
			missions[at].Add(t.Trial)
		}
	}
	for at, n := range unexplained {
		id := b.capability(at[0], nil)
		b.errorPattern(id, at[0]+"/"+at[1], at[0], capability.ErrorPattern{Type: at[1], Means: at[1]}, n)
	}
	for at, m := range missions {
		b.mission(at, m)
	}
}

func (b *builder) execution(t trial.Kept) {
	id := b.capability(t.Capability, nil)
	p := Properties{
		"name": t.Capability + " " + string(t.Outcome), "capability_id": id, "status": string(t.Outcome), "level": string(t.Level), "version": string(t.Version), "model": t.Model,
		"execution_time_ms": t.MS, "cost": t.Cost, "tokens": t.Tokens, "input_summary": t.InputSummary, "output_summary": t.OutputSummary,
		"error": t.Error, "error_message": t.Diagnosis, "timestamp": stamp(t.At), "tags": t.Tags, "source": string(t.Source), "writer": string(t.Writer),
	}
	if t.Mission != "" {
		p["task_id"] = taskID(string(t.Writer) + "/" + t.Mission)
	}
	if t.Agent != "" {
		p["agent_id"] = AgentID(t.Agent)
	}
	n := b.node(Execution, t.ID.String(), p)
	b.edge(n, Uses, id, nil)
	if t.Agent != "" {
		b.edge(n, ExecutedBy, b.agent(t.Agent), nil)
	}
}

// tests adds a run of all tests of a capability.
func (b *builder) tests(t trial.Kept) {
	id := b.capability(t.Capability, nil)
	n := b.node(Validation, t.ID.String(), Properties{
		"name": "tests of " + t.Capability, "capability_id": id, "kind": "tests", "status": string(t.Outcome), "version": string(t.Version),
		"mastery_score": t.Tests.Mastery, "report": t.Tests.Report, "completed_at": stamp(t.At), "writer": string(t.Writer),
	})
	b.edge(n, Confirms, id, nil)
	if t.Agent != "" {
		b.edge(b.agent(t.Agent), Validated, n, nil)
	}
}

func taskID(at string) string { return "task:" + key(at) }

// mission adds a mission as a task, with the capabilities that it was linked with or used.
func (b *builder) mission(at string, m *trial.Mission) {
	if len(m.Uses) == 0 {
		return
	}
	p := Properties{
		"name": m.ID, "description": m.Task, "outcome": string(m.Outcome), "model": m.Model, "tags": m.Tags,
		"started_at": stamp(m.Begun.Truncate(time.Second)), "completed_at": stamp(m.Ended.Truncate(time.Second)),
	}
	if m.Agent != "" {
		p["agent_id"] = AgentID(m.Agent)
	}
	task := b.node(Task, key(at), p)
	for _, u := range m.Uses {
		b.edge(task, RequiresCapability, b.capability(u.Capability, nil), nil)
	}
}
