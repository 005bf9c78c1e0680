package task

import (
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Occasion is an imagined event, with the imagined outcomes of the jobs that it leads to.
type Occasion struct {
	// Event is a name as in `on`; Value the word of a command or the expression of a schedule,
	// which may be left out.
	Event string `json:"event"`
	Value string `json:"value,omitempty"`
	// Proposal is the id of the proposal that the event is about.
	Proposal string            `json:"proposal,omitempty"`
	Inputs   map[string]string `json:"inputs,omitempty"`
	// Jobs are the outcomes by job: success for those that are left out.
	Jobs map[string]Imagined `json:"jobs,omitempty"`
	// Policies decide about hosts and approvals, if they are known.
	Policies *policy.Policies `json:"-"`
}

// Imagined is the outcome of one job.
type Imagined struct {
	// Outcome is success or failure.
	Outcome string      `json:"outcome,omitempty"`
	Result  *run.Result `json:"result,omitempty"`
	Report  *run.Report `json:"report,omitempty"`
	// Outputs are all values that a script declares; without them, they are the zero values.
	Outputs map[string]any `json:"outputs,omitempty"`
}

// Rehearsal is what a workflow would do.
type Rehearsal struct {
	Workflow string `json:"workflow"`
	// Starts reports whether the event starts it; Direct that its actions keep no run.
	Starts bool `json:"starts"`
	Direct bool `json:"direct"`
	// Jobs are in the order in which they would begin; those that would not are last.
	Jobs    []RehearsedJob `json:"jobs"`
	Outcome run.Outcome    `json:"outcome"`
	Reason  string         `json:"reason"`
}

// RehearsedJob is one job of a rehearsal.
type RehearsedJob struct {
	Name string `json:"name"`
	// Does is task, script, approve or the name of the action.
	Does  string   `json:"does"`
	Role  string   `json:"role,omitempty"`
	Needs []string `json:"needs"`
	// Would is run, skip or fail; never if the run ends before.
	Would      string               `json:"would"`
	Reason     string               `json:"reason"`
	Conditions []RehearsedCondition `json:"conditions"`
	// Where is the line of the job in its file, such as workflows/nightly.yaml:7.
	Where string `json:"where,omitempty"`
}

// RehearsedCondition is the value of a condition; Error is set if it has none.
type RehearsedCondition struct {
	Field string `json:"field"` // if or gate
	Text  string `json:"text"`
	Holds bool   `json:"holds"`
	// Assumed is set for a gate that counts as passed because the event states no result.
	Assumed bool   `json:"assumed,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Rehearse decides every step of a run as a pass would, with imagined outcomes instead of actions. Jobs that are under
// way together end together: scripts first, and tasks and approvals when no script runs. The diagnostics are about the
// inputs.
func Rehearse(flow workflow.Workflow, o Occasion, now time.Time) (Rehearsal, diag.List) {
	out := Rehearsal{Workflow: flow.Name, Direct: flow.Direct(), Jobs: []RehearsedJob{}}
	e := workflow.Event{Name: o.Event, Value: o.Value}
	if e.Value == "" {
		e.Value = map[string]string{workflow.Schedule: flow.On.Schedule, workflow.Command: flow.On.Command}[e.Name]
	}
	if out.Starts = flow.On.Match(e); !out.Starts {
		return out, nil
	}
	inputs, ds := Fill(flow, o.Inputs)
	if ds.HasErrors() {
		return out, ds
	}
	r := rehearsing{flow: flow, now: now, given: o.Jobs, policies: o.Policies, jobs: map[string]*RehearsedJob{}}
	r.append(run.Record{V: run.Version, Kind: run.Started, Start: &run.Start{
		Workflow: flow.Name, Definition: flow.Digest, Event: o.Event, Inputs: inputs, About: o.Proposal,
	}})
	for range steps {
		next := run.Decide(flow, r.state, now)
		if r.state.Outcome != "" || next.IsZero() && !r.end(run.Running) && !r.end(run.Waiting) {
			break
		}
		if !next.IsZero() {
			r.step(next)
		}
	}
	for _, name := range r.order {
		out.Jobs = append(out.Jobs, *r.jobs[name])
	}
	for _, j := range flow.Jobs {
		if r.jobs[j.Name] == nil {
			never := describe(j)
			never.Would, never.Reason = "never", "the run ends before"
			out.Jobs = append(out.Jobs, never)
		}
	}
	out.Outcome, out.Reason = r.state.Outcome, r.state.Reason
	return out, ds
}

// rehearsing is a rehearsal under way.
type rehearsing struct {
	flow     workflow.Workflow
	now      time.Time
	given    map[string]Imagined
	policies *policy.Policies
	records  []run.Record
	state    run.State
	jobs     map[string]*RehearsedJob
	order    []string
}

func (r *rehearsing) append(rec run.Record) {
	rec.At, rec.By = r.now, engine
	r.records = append(r.records, rec)
	r.state, _ = run.Of("", r.records) // each record is one that Decide or Conclude made
}

// step takes one step. Scripts, tasks and approvals go on until end.
func (r *rehearsing) step(next run.Next) {
	rec, name := next.Record, next.Job.Name
	if rec != nil {
		if name = rec.Job; name == "" {
			r.append(*rec)
			return
		}
	}
	j, _ := r.flow.Job(name)
	seen := r.job(j)
	if rec != nil && rec.Kind != run.Asked {
		seen.Would = map[run.Kind]string{run.Skipped: "skip", run.Failed: "fail"}[rec.Kind]
		if seen.Would == "" {
			seen.Would = "run"
		}
		seen.Reason = rec.Reason
		r.append(*rec)
		return
	}
	if why := r.unmet(j); why != "" {
		seen.Would, seen.Reason = "fail", why
		r.append(run.Record{V: run.Version, Kind: run.Failed, Job: name, Outcome: run.Broke, Reason: why})
		return
	}
	switch {
	case rec != nil:
		seen.Role = rec.Role
		r.append(*rec)
	case next.Action == run.Script:
		r.append(run.Record{V: run.Version, Kind: run.Begun, Job: name, Attempt: r.state.Jobs[name].Attempt + 1, Until: r.now.Add(Lease)})
	default:
		r.conclude(j, seen)
	}
}

// end concludes all jobs of a state, and reports whether there was one. No decision comes in between.
func (r *rehearsing) end(all run.Status) (found bool) {
	for _, name := range r.order {
		if r.state.Jobs[name].Status == all {
			j, _ := r.flow.Job(name)
			r.conclude(j, r.jobs[name])
			found = true
		}
	}
	return found
}

// unmet says what a job needs and the policies do not give, "" for nothing.
func (r *rehearsing) unmet(j workflow.Job) string {
	if r.policies == nil {
		return ""
	}
	if hosts := j.Refused(*r.policies); len(hosts) > 0 {
		return "the policy does not admit " + strings.Join(hosts, ", ")
	}
	if j.Approve != "" && len(j.Approvers(r.policies.Roles)) == 0 {
		return "no one could approve it: " + j.Approve + " is no person of " + policy.RolesFile + ", and no role of one"
	}
	return ""
}

// conclude records the imagined outcome of a job.
func (r *rehearsing) conclude(j workflow.Job, seen *RehearsedJob) {
	given := r.given[j.Name]
	if given.Result != nil {
		given.Result.Job = j.Name
	}
	switch {
	case j.Gate == nil || given.Outcome == "failure":
	case given.Result == nil && given.Report == nil:
		seen.Conditions = append(seen.Conditions, RehearsedCondition{Field: "gate", Text: j.Gate.String(), Holds: true, Assumed: true})
		j.Gate = nil
	default:
		seen.add("gate", j.Gate.String(), func() (bool, error) {
			return j.Gate.Holds(run.Facts(r.flow, r.state, j, given.Result, given.Report))
		})
	}
	done := run.Conclude(r.flow, r.state, j, run.Record{Result: given.Result, Report: given.Report, Outputs: given.Outputs})
	if given.Outcome == "failure" {
		done.Kind, done.Reason, done.Outputs = run.Failed, "so the event says", nil
	}
	seen.Would, seen.Reason = "run", done.Reason
	if done.Kind == run.Failed {
		seen.Would = "fail"
	}
	r.append(done)
}

// job returns a job's line, with the value of its `if` when it is first reached.
func (r *rehearsing) job(j workflow.Job) *RehearsedJob {
	if r.jobs[j.Name] == nil {
		seen := describe(j)
		if j.If != nil {
			seen.add("if", j.If.String(), func() (bool, error) { return j.If.Holds(run.Facts(r.flow, r.state, j, nil, nil)) })
		}
		r.jobs[j.Name], r.order = &seen, append(r.order, j.Name)
	}
	return r.jobs[j.Name]
}

func (j *RehearsedJob) add(field, text string, holds func() (bool, error)) {
	c := RehearsedCondition{Field: field, Text: text}
	var err error
	if c.Holds, err = holds(); err != nil {
		c.Error = err.Error()
	}
	j.Conditions = append(j.Conditions, c)
}

func describe(j workflow.Job) RehearsedJob {
	out := RehearsedJob{Name: j.Name, Does: j.Uses, Needs: append([]string{}, j.Needs...), Conditions: []RehearsedCondition{}, Where: run.Where(j)}
	switch {
	case j.Agent != "":
		out.Does = "task"
	case j.Approve != "":
		out.Does = "approve"
	case j.Script != nil:
		out.Does = "script"
	}
	return out
}
