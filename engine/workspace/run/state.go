package run

import (
	"fmt"
	"time"
)

// State is the state of a run, folded from its records.
type State struct {
	ID string `json:"id"`
	Start
	Began time.Time `json:"began"`
	By    string    `json:"by"`
	// Jobs are those with at least one record, by name.
	Jobs map[string]Job `json:"jobs"`
	// Proposal is the one that received files, or that the run is about; empty until then.
	Proposal string `json:"proposal"`
	// Outcome, Reason and At are set when the run ended.
	Outcome Outcome   `json:"outcome"`
	Reason  string    `json:"reason"`
	At      time.Time `json:"at,omitzero"`
	// Records is the number of records.
	Records int `json:"records"`
}

// Status is the state of one job.
type Status string

// The states of a job; empty before its first record.
const (
	Waiting Status = "waiting" // for the role that was asked
	Running Status = "running" // a script
	Did     Status = "done"
	Gave    Status = "failed" // the last attempt; another one may follow
	Left    Status = "skipped"
)

// Job is the state of one job.
type Job struct {
	Status  Status    `json:"status"`
	Attempt int       `json:"attempt,omitempty"`
	Role    string    `json:"role,omitempty"`
	Asked   time.Time `json:"asked,omitzero"`
	// Claimant has the task, or runs the script, until Until.
	Claimant string    `json:"claimant,omitempty"`
	Until    time.Time `json:"until,omitzero"`
	// Told is when the role was last notified, Reminders the number of reminders.
	Told      time.Time `json:"told,omitzero"`
	Reminders int       `json:"reminders,omitempty"`
	// By finished it at At; Head is the commit that was delivered.
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Head   string    `json:"head,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Result *Result   `json:"result,omitempty"`
	Report *Report   `json:"report,omitempty"`
	Output *Output   `json:"output,omitempty"`
}

// Held reports whether the task is claimed at an instant.
func (j Job) Held(now time.Time) bool { return j.Claimant != "" && now.Before(j.Until) }

// finished reports whether jobs that need this one may begin.
func (j Job) finished() bool { return j.Status == Did || j.Status == Left }

// Of folds the records of a run. The error is ErrRecord if one cannot follow those before it.
func Of(id string, records []Record) (State, error) {
	s := State{ID: id, Jobs: map[string]Job{}}
	for i, r := range records {
		if why := s.apply(r, i); why != "" {
			return s, fmt.Errorf("record %d of run %s, %q: %s: %w", i+1, id, r.Kind, why, ErrRecord)
		}
		s.Records++
	}
	return s, nil
}

// apply takes one record in and says why it cannot stand here, "" if it can.
func (s *State) apply(r Record, at int) string {
	switch {
	case (r.Kind == Started) != (at == 0):
		return "a run is started once, and first"
	case s.Outcome != "":
		return "the run has ended"
	case r.Kind == Started:
		if r.Start == nil {
			return "it does not say of what"
		}
		s.Start, s.Began, s.By, s.Proposal = *r.Start, r.At, r.By, r.Start.About
		return ""
	case r.Kind == Ended:
		s.Outcome, s.Reason, s.At = r.Outcome, r.Reason, r.At
		return ""
	}
	j, known := s.Jobs[r.Job]
	next, why := j.after(r, known)
	if why != "" {
		return why
	}
	if r.Proposal != "" {
		s.Proposal = r.Proposal
	}
	s.Jobs[r.Job] = next
	return ""
}

// after is a job after one record about it.
func (j Job) after(r Record, known bool) (Job, string) {
	waits := (j.Status == Waiting || j.Status == Running) && r.Attempt == j.Attempt
	switch r.Kind {
	case Asked:
		if known && j.Status != Gave && j.Status != Running || r.Attempt != j.Attempt+1 {
			return j, "the task is asked for already"
		}
		return Job{Status: Waiting, Attempt: r.Attempt, Role: r.Role, Asked: r.At, Told: r.At, Reason: j.Reason}, ""
	case Begun:
		if j.finished() || j.Status == Gave || j.Status == Running && r.At.Before(j.Until) || r.Attempt != j.Attempt+1 {
			return j, "it runs already, or is over"
		}
		return Job{Status: Running, Attempt: r.Attempt, Asked: r.At, Claimant: r.By, Until: r.Until}, ""
	case Claimed:
		if j.Status == Running || !waits || j.Held(r.At) && j.Claimant != r.By {
			return j, "it cannot be claimed"
		}
		j.Claimant, j.Until = r.By, r.Until
		return j, ""
	case Reminded:
		if j.Status == Running || !waits {
			return j, "it is not waiting"
		}
		j.Told, j.Reminders = r.At, j.Reminders+1
		return j, ""
	case Done, Failed, Skipped:
		if known && !waits {
			return j, "the job is over"
		}
		j.Status = map[Kind]Status{Done: Did, Failed: Gave, Skipped: Left}[r.Kind]
		j.By, j.At, j.Head, j.Reason, j.Result, j.Report, j.Output = r.By, r.At, r.Head, r.Reason, r.Result, r.Report, r.Output
		j.Claimant, j.Until = "", time.Time{}
		return j, ""
	}
	return j, "nothing is known of such a record"
}

// Brief returns a run without its jobs' results, reports and outputs.
func (s State) Brief() State {
	jobs := make(map[string]Job, len(s.Jobs))
	for name, j := range s.Jobs {
		j.Result, j.Report, j.Output = nil, nil, nil
		jobs[name] = j
	}
	s.Jobs = jobs
	return s
}
