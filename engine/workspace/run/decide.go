package run

import (
	"fmt"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Next is the next step of a run: a record to append, or a built-in action to carry out. Zero
// means wait.
type Next struct {
	Record *Record
	// Action is workflow.Validate, workflow.Merge, workflow.GC or Script, for Job.
	Action string
	Job    workflow.Job
}

// Script is the action of a job that runs one.
const Script = "run"

// begins is the maximum number of starts of a script. If each process that started it was killed,
// the script itself may be the cause.
const begins = 3

// IsZero reports whether there is nothing to do but wait.
func (n Next) IsZero() bool { return n.Record == nil && n.Action == "" }

// Decide returns the next step of a run, by the definition in force. The same state at the same
// time gives the same answer, and a state with that record gives another, so any number of
// processes can ask. without lists jobs whose action has to wait, as the caller found out: they
// delay no other job, and stay open.
func Decide(w workflow.Workflow, s State, now time.Time, without ...string) Next {
	if s.Outcome != "" {
		return Next{}
	}
	open, waits := false, Next{}
	for _, j := range w.Jobs {
		if s.Jobs[j.Name].finished() {
			continue
		}
		open = true
		next := job(w, j, s, now)
		switch {
		case next.Record != nil:
			return next
		case slices.Contains(without, j.Name):
		case next.Action != "" && (waits.IsZero() || waits.Action == workflow.Merge): // records come before actions; merges, which may wait for people, come last
			waits = next
		}
	}
	if !open {
		return record(Record{Kind: Ended, Outcome: Completed})
	}
	return waits
}

func record(r Record) Next {
	r.V = Version
	return Next{Record: &r}
}

// job returns the next step of one unfinished job.
func job(w workflow.Workflow, j workflow.Job, s State, now time.Time) Next {
	state := s.Jobs[j.Name]
	switch {
	case state.Status == Gave && (j.Agent == "" || state.Attempt > j.Retries):
		return record(Record{Kind: Ended, Outcome: Broke, Reason: j.Name + ": " + state.Reason})
	case state.Status == Gave:
		return record(Record{Kind: Asked, Job: j.Name, Attempt: state.Attempt + 1, Role: RoleFor(j, s.Inputs)})
	case state.Status == Waiting && j.Agent != "":
		return wait(j, state, now)
	case state.Status == Running && now.Before(state.Until):
		return Next{}
	case state.Status == Running && state.Attempt >= begins:
		return record(Record{Kind: Failed, Job: j.Name, Attempt: state.Attempt, Reason: fmt.Sprintf("it was started %d times, and no start reported an outcome", begins)})
	case state.Status == Running && j.Script != nil:
		return Next{Action: Script, Job: j}
	}
	for _, need := range j.Needs {
		if !s.Jobs[need].finished() {
			return Next{}
		}
	}
	if j.If != nil {
		switch holds, err := j.If.Holds(Facts(w, s, j, nil, nil)); {
		case err != nil:
			return record(Record{Kind: Ended, Outcome: Broke, Reason: fmt.Sprintf("%s: cannot evaluate its condition: %v", j.Name, err)})
		case !holds:
			return record(Record{Kind: Skipped, Job: j.Name, Reason: "if: " + j.If.String()})
		}
	}
	switch {
	case j.Agent != "":
		return record(Record{Kind: Asked, Job: j.Name, Attempt: state.Attempt + 1, Role: RoleFor(j, s.Inputs)})
	case j.Script != nil:
		return Next{Action: Script, Job: j}
	case j.Uses == workflow.Notify:
		return record(Record{Kind: Done, Job: j.Name, Reason: j.Message})
	}
	return Next{Action: j.Uses, Job: j}
}

// wait returns the step that is due by time for a requested task.
func wait(j workflow.Job, state Job, now time.Time) Next {
	switch {
	case !now.Before(state.Asked.Add(j.Timeout)):
		return record(Record{Kind: Failed, Job: j.Name, Attempt: state.Attempt, Reason: fmt.Sprintf("not done within %s", span(j.Timeout))})
	case !state.Held(now) && !now.Before(state.Told.Add(j.Remind)):
		return record(Record{Kind: Reminded, Job: j.Name, Attempt: state.Attempt})
	}
	return Next{}
}

func span(d time.Duration) string {
	if day := 24 * time.Hour; d%day == 0 {
		if d == day {
			return "a day"
		}
		return fmt.Sprintf("%d days", d/day)
	}
	return d.String()
}

// Conclude is the record of a job that was done: Done where the gate is passed, else
// Failed with the reason.
func Conclude(w workflow.Workflow, s State, j workflow.Job, r Record) Record {
	r.V, r.Kind, r.Job, r.Attempt = Version, Done, j.Name, s.Jobs[j.Name].Attempt
	if j.Gate == nil {
		return r
	}
	switch passed, err := j.Gate.Holds(Facts(w, s, j, r.Result, r.Report)); {
	case err != nil:
		r.Kind, r.Reason = Failed, fmt.Sprintf("its gate has no answer: %v", err)
	case !passed:
		r.Kind, r.Reason = Failed, "the gate is not passed: "+j.Gate.String()
	}
	return r
}
