package run

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/gate/workflow"
)

// Step is one job of a run, for display.
type Step struct {
	Name string `json:"name"`
	// Kind is the action, or "script", "task" or "approve"; empty if the definition is not known.
	Kind  string   `json:"kind"`
	Needs []string `json:"needs"`
	// Status is empty for a job that has not started and still may.
	Status  Status `json:"status"`
	Attempt int    `json:"attempt,omitempty"`
	// Began is when the last attempt began, Ended when the job was decided; MS is the time between
	// them. For an action, it began when its needs were done.
	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
	MS    int64     `json:"ms,omitempty"`
	// Calls is the workflow that a job of this one calls, if the step belongs to it.
	Calls string `json:"calls,omitempty"`
	// Where is the line of the job in the version that the run follows, such as workflows/nightly.yaml:7.
	Where string `json:"where,omitempty"`
	// Reason says why it failed or was skipped.
	Reason string `json:"reason,omitempty"`
	By     string `json:"by,omitempty"`
	// Continued is set if it has failed and continue-on-error lets the run go on.
	Continued bool `json:"continued,omitempty"`
	// Uncounted says why the approval that is recorded does not count.
	Uncounted string `json:"uncounted,omitempty"`
}

// Steps returns the jobs of a run in an order in which they can run, by its recorded definition. A
// job that a run never reached before it ended is skipped, one that had begun cancelled. Without a definition they are the
// recorded jobs by name.
func Steps(w workflow.Workflow, s State, now time.Time) []Step {
	jobs := w.Jobs
	if w.Name == "" {
		for _, name := range slices.Sorted(maps.Keys(s.Jobs)) {
			jobs = append(jobs, workflow.Job{Name: name})
		}
	}
	out := []Step{}
	for _, j := range jobs {
		state := s.Jobs[j.Name]
		step := Step{
			Name: j.Name, Kind: kindOf(j), Needs: append([]string{}, j.Needs...), Status: state.Status, Attempt: state.Attempt,
			Began: state.Asked, Ended: state.At, Reason: state.Reason, By: state.Doer(), Where: Where(j),
		}
		if groups := j.Groups(); len(groups) > 0 {
			step.Calls = groups[0].Workflow
		}
		if step.Began.IsZero() && state.Status != "" && state.Status != Left {
			step.Began = s.Ready(j)
		}
		if state.Status == Waiting && state.Reason != "" {
			step.Reason = fmt.Sprintf("attempt %d failed: %s", state.Attempt-1, state.Reason)
		}
		switch end := state.At; {
		case s.Outcome == "" && Expired(j, state, now) != "":
			step.Status, step.Ended, step.Reason = Gave, state.Asked.Add(j.Timeout), Expired(j, state, now)
			step.MS = j.Timeout.Milliseconds()
		case s.Outcome != "" && (state.Status == "" || state.Status == Waiting || state.Status == Running):
			step.Status, step.Ended, step.Reason = Left, s.At, "the run "+s.Outcome.Phrase()+" before it was done"
			if state.began() {
				step.Status, step.MS = Stopped, max(s.At.Sub(step.Began).Milliseconds(), 0)
			}
		case end.IsZero() && !step.Began.IsZero():
			step.MS = max(now.Sub(step.Began).Milliseconds(), 0)
		case !step.Began.IsZero():
			step.MS = max(end.Sub(step.Began).Milliseconds(), 0)
		}
		step.Continued = step.Status == Gave && j.ContinueOnError
		out = append(out, step)
	}
	return out
}

// began reports whether an attempt of a job ran, or one had its task.
func (j Job) began() bool { return j.Status != Waiting && j.Attempt > 0 || len(j.Hands) > 0 }

// Where is the line of a job, in the workflow that it belongs to, such as workflows/nightly.yaml:7, "" if it is not known.
func Where(j workflow.Job) string {
	at := cmp.Or(j.At, j.Pos)
	if at.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// Ready is when the needs of a job were decided.
func (s State) Ready(j workflow.Job) time.Time {
	at := s.Began
	for _, need := range j.Needs {
		if done := s.Jobs[need].At; done.After(at) {
			at = done
		}
	}
	return at
}

func kindOf(j workflow.Job) string {
	switch {
	case j.Script != nil:
		return "script"
	case j.Agent != "":
		return "task"
	case j.Approve != "":
		return "approve"
	}
	return j.Uses
}
