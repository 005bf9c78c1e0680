package run

import (
	"fmt"
	"slices"
	"strings"
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

// begins is the number of starts of a script that end without a result after which it fails. If
// each process that started it was killed, the script itself may be the cause.
const begins = 3

// mostStops is the number of starts after which a script fails although each ended because its process was told to
// stop. The script is not the cause of that, but each start repeats what it does, and a supervisor that restarts its
// daemon too soon would go on for ever.
const mostStops = 30

// longestLease is longer than any that an engine takes; anyone who can push can write another one.
const longestLease = 10 * time.Minute

// IsZero reports whether there is nothing to do but wait.
func (n Next) IsZero() bool { return n.Record == nil && n.Action == "" }

// Decide returns the next step of a run, by its definition. The same state at the same time gives
// the same answer, and a state with that record gives another, so any number of processes can ask.
// without lists jobs whose action has to wait, as the caller found out: they delay no other job,
// and stay open.
func Decide(w workflow.Workflow, s State, now time.Time, without ...string) Next {
	if all := decide(w, s, now, without); len(all) > 0 {
		return all[0]
	}
	return Next{}
}

// Scripts returns the jobs whose scripts can start now.
func Scripts(w workflow.Workflow, s State, now time.Time) []workflow.Job {
	var out []workflow.Job
	for _, next := range decide(w, s, now, nil) {
		if next.Action == Script {
			out = append(out, next.Job)
		}
	}
	return out
}

// decide returns a record, or all actions that are due: scripts first, merges last.
func decide(w workflow.Workflow, s State, now time.Time, without []string) []Next {
	if s.Outcome != "" {
		return nil
	}
	if why := Overdue(w, s, now); why != "" {
		return []Next{record(Record{Kind: Ended, Outcome: Broke, Reason: why})}
	}
	open := false
	var due [3][]Next // merges may wait for people
	for _, j := range w.Jobs {
		if Concluded(w, s, j) {
			continue
		}
		open = true
		next := job(w, j, s, now)
		switch {
		case next.Record != nil:
			return []Next{next} // records come before actions
		case next.Action == "" || slices.Contains(without, j.Name):
		case next.Action == Script:
			due[0] = append(due[0], next)
		case next.Action == workflow.Merge:
			due[2] = append(due[2], next)
		default:
			due[1] = append(due[1], next)
		}
	}
	if !open {
		return []Next{end(w, s)}
	}
	return slices.Concat(due[0], due[1], due[2])
}

// end is the record of a run whose jobs are all settled: it has failed if a job has.
func end(w workflow.Workflow, s State) Next {
	if j := firstFailure(w, s); j != "" {
		return record(Record{Kind: Ended, Outcome: Broke, Reason: j + ": " + s.Jobs[j].Reason})
	}
	return record(Record{Kind: Ended, Outcome: Completed})
}

// firstFailure is the job that failed first, "" if none has.
func firstFailure(w workflow.Workflow, s State) (first string) {
	for _, j := range w.Jobs {
		if s.failed(j) && (first == "" || s.Jobs[j.Name].At.Before(s.Jobs[first].At)) {
			first = j.Name
		}
	}
	return first
}

// Prevented reports whether a failure prevents a job, or w does not know it.
func Prevented(w workflow.Workflow, s State, name string) bool {
	j, known := w.Job(name)
	return !known || blocked(w, s, j) != ""
}

// Concluded reports whether a job is settled, or failed with another job's failure preventing its next attempt. The
// second case has no record of its own, because each attempt has one result.
func Concluded(w workflow.Workflow, s State, j workflow.Job) bool {
	return s.Settled(j) || s.Jobs[j.Name].Status == Gave && !j.OnFailure() && blocked(w, s, j) != ""
}

// blocked says why a job cannot be done because of a failure, "" if it can.
func blocked(w workflow.Workflow, s State, j workflow.Job) string {
	if first := firstFailure(w, s); first != "" && w.FailFast {
		return first + " failed"
	}
	for _, need := range j.Needs {
		if of, _ := w.Job(need); s.failed(of) {
			return "it needs " + need + ", which failed"
		}
		if s.Jobs[need].Blocked {
			return "it needs " + need + ", which was skipped because of a failure"
		}
	}
	// A need with always() is done whatever failed before it, and does not end the failure.
	for _, before := range w.Ancestors(j) {
		if s.failed(before) {
			return "it needs " + before.Name + " through others, which failed"
		}
	}
	return ""
}

// Fails says why an active run will end as failed whatever its other jobs do, "" if it may not.
func Fails(w workflow.Workflow, s State) string {
	if first := firstFailure(w, s); first != "" && s.Outcome == "" {
		return first + " failed, so the run will end as failed"
	}
	return ""
}

func record(r Record) Next {
	r.V = Version
	return Next{Record: &r}
}

// job returns the next step of one job that is not settled.
func job(w workflow.Workflow, j workflow.Job, s State, now time.Time) Next {
	state := s.Jobs[j.Name]
	why := ""
	if !j.OnFailure() {
		why = blocked(w, s, j)
	}
	switch {
	case state.Status == Running && now.Before(state.Until) && state.Until.Before(now.Add(longestLease)):
		return Next{}
	case state.Status == Running:
		return record(Record{Kind: Lost, Job: j.Name, Attempt: state.Attempt, Reason: "its lease ended without a result"})
	}
	// Also a job that will be skipped waits: else one that cleans up after it, by always(), could begin while those
	// before it run. It does not wait for an approval that changes nothing for it.
	for _, need := range j.Needs {
		if of, _ := w.Job(need); !Concluded(w, s, of) && (why == "" || of.Approve == "") {
			return Next{}
		}
	}
	switch {
	case why != "":
		return record(Record{Kind: Skipped, Job: j.Name, Attempt: state.Attempt, Outcome: Broke, Reason: why})
	case state.Status == Waiting:
		return wait(j, state, now)
	case state.Losses >= begins || state.Stops >= mostStops:
		return record(Record{Kind: Failed, Job: j.Name, Attempt: state.Attempt, Outcome: Broke, Reason: fmt.Sprintf("%d of %d starts ended without a result; the last: %s", state.Losses+state.Stops, state.Attempt, state.Reason)})
	}
	// A repeated run keeps jobs that were done after an approval, and asks for that again.
	for _, guard := range w.Guards(j) {
		if !s.Settled(guard) && !j.OnFailure() {
			return Next{}
		}
	}
	if state.Attempt == 0 {
		switch skipped, err := Skips(w, s, j); {
		case err != nil:
			return record(Record{Kind: Failed, Job: j.Name, Outcome: Broke, Reason: fmt.Sprintf("cannot evaluate its condition: %v", err)})
		case skipped != "":
			return record(Record{Kind: Skipped, Job: j.Name, Reason: skipped})
		}
	}
	switch {
	case j.Agent != "":
		return record(Record{Kind: Asked, Job: j.Name, Attempt: state.Attempt + 1, Role: RoleFor(j, s.Inputs)})
	case j.Approve != "":
		return record(Record{Kind: Asked, Job: j.Name, Attempt: state.Attempt + 1, Role: j.Approve, Approve: true})
	case j.Script != nil:
		return Next{Action: Script, Job: j}
	case j.Uses == workflow.Notify:
		return record(Record{Kind: Done, Job: j.Name, Reason: j.Message})
	}
	return Next{Action: j.Uses, Job: j}
}

// Skips says which condition leaves a job out, "" for none: that of a call that it belongs to, or its
// own. The jobs that it needs are settled.
func Skips(w workflow.Workflow, s State, j workflow.Job) (why string, err error) {
	for _, g := range j.Groups() {
		if g.If == nil {
			continue
		}
		if holds, err := g.If.Holds(Facts(w, s, workflow.Job{Needs: g.Needs, Aggregates: g.Aggregates, Group: g.Parent}, nil, nil)); err != nil || !holds {
			return "if: " + g.If.String(), err
		}
	}
	if j.If == nil {
		return "", nil
	}
	holds, err := j.If.Holds(Facts(w, s, j, nil, nil))
	if err != nil || holds {
		return "", err
	}
	return "if: " + j.If.String(), nil
}

// wait returns the step that is due by time for a requested task.
func wait(j workflow.Job, state Job, now time.Time) Next {
	switch {
	case Expired(j, state, now) != "":
		return record(Record{Kind: Failed, Job: j.Name, Attempt: state.Attempt, Outcome: Broke, Reason: Expired(j, state, now)})
	case !now.Before(state.Asked.Add(j.Timeout)):
		return record(Record{Kind: Failed, Job: j.Name, Attempt: state.Attempt, Reason: fmt.Sprintf("not done within %s", span(j.Timeout))})
	case !state.Held(now) && !now.Before(state.Told.Add(j.Remind)):
		return record(Record{Kind: Reminded, Job: j.Name, Attempt: state.Attempt})
	}
	return Next{}
}

// Overdue says that the time for a run is over, which the next pass records; "" if it is not.
func Overdue(w workflow.Workflow, s State, now time.Time) string {
	end := End(w, s)
	if s.Outcome != "" || end.IsZero() || now.Before(end) {
		return ""
	}
	return "not done within " + span(w.Timeout)
}

// End is when the timeout of a run ends it, zero for never. What it waits for its concurrency group does not count: a run of
// a group has its time from the first record about a job.
func End(w workflow.Workflow, s State) time.Time {
	from := s.Began
	if w.Concurrency.Group != "" {
		from = s.First
	}
	if w.Timeout == 0 || from.IsZero() {
		return time.Time{}
	}
	return from.Add(w.Timeout)
}

// Due is when the time for a waiting job is over: by its own timeout or that of the run, whichever is earlier.
func Due(w workflow.Workflow, s State, j workflow.Job) time.Time {
	at := s.Jobs[j.Name].Asked.Add(j.Timeout)
	if end := End(w, s); !end.IsZero() && end.Before(at) {
		at = end
	}
	return at.UTC()
}

// Expired says that the time for an approval is over, which the next pass records; "" if it is not.
func Expired(j workflow.Job, state Job, now time.Time) string {
	if j.Approve == "" || state.Status != Waiting || now.Before(state.Asked.Add(j.Timeout)) {
		return ""
	}
	return fmt.Sprintf(expired+"not approved by %s within %s", j.Approve, span(j.Timeout))
}

// expired begins the reason of an approval that no one decided on in time.
const expired = "expired: "

// Lapsed reports whether it is recorded that no one decided on an approval in time.
func (j Job) Lapsed() bool { return j.Status == Gave && strings.HasPrefix(j.Reason, expired) }

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
