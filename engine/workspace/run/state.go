package run

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/workflow"
)

// State is the state of a run, folded from its records.
type State struct {
	ID string `json:"id"`
	Start
	Began time.Time `json:"began"`
	// First is the time of the first record about a job that the run itself did, zero before it.
	First time.Time `json:"-"`
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
	Stopped Status = "cancelled" // in a Step only: it had begun when its run ended
)

// Job is the state of one job.
type Job struct {
	Status  Status `json:"status"`
	Attempt int    `json:"attempt,omitempty"`
	Role    string `json:"role,omitempty"`
	// Approve is set if the job waits for an approval, Approval its signed decision.
	Approve  bool           `json:"approve,omitempty"`
	Approval *review.Signed `json:"approval,omitempty"`
	Asked    time.Time      `json:"asked,omitzero"`
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
	// Outputs are the values of a script.
	Outputs   map[string]any `json:"outputs,omitempty"`
	Artifacts *Artifacts     `json:"artifacts,omitempty"`
	// Failures and Losses count failed attempts, and those that ended without a result. Stops are those that did so
	// because their process was told to stop; they are no losses.
	Failures int `json:"failures,omitempty"`
	Losses   int `json:"losses,omitempty"`
	Stops    int `json:"stops,omitempty"`
	// Final says that no other attempt follows a failed one, Blocked that the job was skipped
	// because of a failure.
	Final   bool `json:"final,omitempty"`
	Blocked bool `json:"blocked,omitempty"`
	// Token names the process that runs the script, or the worker whose command does the task; Since is when that worker
	// took it.
	Token string    `json:"token,omitempty"`
	Since time.Time `json:"since,omitzero"`
	// Spent is what the commands of all attempts used.
	Spent *Spent `json:"spent,omitempty"`
	// Hands are those who took the task, in all attempts.
	Hands []Hand `json:"hands,omitempty"`
}

// Hand is one who took a task.
type Hand struct {
	By string `json:"by"`
	// Session is a digest of the session of the agent's client, empty if unknown.
	Session string `json:"session,omitempty"`
}

// Doer is who did the job. A result that was taken over from another run is recorded by the engine; the last of its
// hands did it there.
func (j Job) Doer() string {
	if n := len(j.Hands); n > 0 && j.Role == "" && j.Status == Did {
		return j.Hands[n-1].By
	}
	return j.By
}

// TakenOver are the hands of a job for a run that takes its result over: its doer is the last one.
func (j Job) TakenOver() []Hand {
	var others, doer []Hand
	for _, h := range j.Hands {
		if h.By == j.Doer() {
			doer = append(doer, h)
		} else {
			others = append(others, h)
		}
	}
	return append(others, doer...)
}

// Held reports whether the task is claimed at an instant.
func (j Job) Held(now time.Time) bool { return j.Claimant != "" && now.Before(j.Until) }

// finished reports whether the job was done or skipped.
func (j Job) finished() bool { return j.Status == Did || j.Status == Left }

// Settled reports whether nothing more happens to a job: it was done or skipped, or has failed and
// has no attempt left.
func (s State) Settled(j workflow.Job) bool {
	state := s.Jobs[j.Name]
	return state.finished() || state.Status == Gave && (state.Final || state.Failures > j.Retries)
}

// Ripe reports whether an action has all that it needs and is tried in each pass.
func (s State) Ripe(j workflow.Job) bool {
	return s.Jobs[j.Name].Status == "" && !slices.ContainsFunc(j.Needs, func(need string) bool { return !s.Jobs[need].finished() })
}

// failed reports whether a job has failed for good and that counts.
func (s State) failed(j workflow.Job) bool {
	return s.Jobs[j.Name].Status == Gave && s.Settled(j) && !j.ContinueOnError
}

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
	case s.Outcome == "" && r.Kind == Kept:
		return "the run goes on"
	case s.Outcome != "" && r.Kind != Kept:
		return "the run has ended"
	case r.Kind == Started:
		if r.Start == nil {
			return "it does not say of what"
		}
		//defence:journals-of-runs-name-their-run
		if !r.Names(s.ID) {
			return fmt.Sprintf("it is that of run %.80q", r.Start.Run)
		}
		s.Start, s.Began, s.By, s.Proposal = *r.Start, r.At, r.By, r.Start.About
		s.Run = ""
		return ""
	case r.Kind == Ended:
		s.Outcome, s.Reason, s.At = r.Outcome, r.Reason, r.At
		for name, j := range s.Jobs {
			if lost := j.lost(r.At); lost != nil {
				j.Spent, j.Token = j.Spent.Plus(lost), ""
				s.Jobs[name] = j
			}
		}
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
	if s.First.IsZero() && (s.Start.Of == "" || r.Reason != KeptFrom(s.Start.Of)) {
		s.First = r.At
	}
	s.Jobs[r.Job] = next
	return ""
}

// KeptFrom is the reason of a job whose result a repeated run keeps.
func KeptFrom(id string) string { return "kept from " + id }

// after is a job after one record about it.
func (j Job) after(r Record, known bool) (Job, string) {
	waits := (j.Status == Waiting || j.Status == Running) && r.Attempt == j.Attempt
	counts := Job{Failures: j.Failures, Losses: j.Losses, Stops: j.Stops, Attempt: r.Attempt, Asked: r.At, Hands: j.Hands, Spent: j.Spent}
	switch r.Kind {
	case Asked:
		if known && j.Status != Gave && j.Status != Running || r.Attempt != j.Attempt+1 {
			return j, "the task is asked for already"
		}
		counts.Status, counts.Role, counts.Approve, counts.Told, counts.Reason = Waiting, r.Role, r.Approve, r.At, j.Reason
		return counts, ""
	case Begun:
		if j.finished() || j.Final || j.Status == Waiting || j.Status == Running && r.At.Before(j.Until) || r.Attempt != j.Attempt+1 {
			return j, "it runs already, or is over"
		}
		counts.Status, counts.Claimant, counts.Until, counts.Token = Running, r.By, r.Until, r.Token
		return counts, ""
	case Renewed:
		if j.Status != Running || r.Attempt != j.Attempt || r.Token != j.Token {
			return j, "it does not run"
		}
		j.Until = r.Until
		return j, ""
	case Lost:
		if j.Status != Running || r.Attempt != j.Attempt {
			return j, "it does not run"
		}
		counts.Reason, counts.Asked = r.Reason, j.Asked
		if r.Outcome == Cancelled {
			counts.Stops++
		} else {
			counts.Losses++
		}
		return counts, ""
	case Kept:
		if j.Status != Running || r.Attempt != j.Attempt || r.Token != j.Token || r.Output == nil || j.Output != nil {
			return j, "no script of this attempt was stopped"
		}
		j.Output = r.Output
		return j, ""
	case Claimed:
		if j.Status == Running || !waits || j.Approve || j.Held(r.At) && j.Claimant != r.By {
			return j, "it cannot be claimed"
		}
		if j.Claimant != r.By || j.Token != r.Token {
			j.Spent, j.Since = j.Spent.Plus(j.lost(r.At)), r.At
		}
		j.Claimant, j.Until, j.Token, j.Hands = r.By, r.Until, r.Token, withHands(j.Hands, Hand{r.By, r.Session})
		return j, ""
	case Reminded:
		if j.Status == Running || !waits {
			return j, "it is not waiting"
		}
		j.Told, j.Reminders = r.At, j.Reminders+1
		return j, ""
	case Done, Failed, Skipped:
		if known && !waits && !j.mayEnd(r) {
			return j, "the job is over"
		}
		return j.ended(r), ""
	}
	return j, "nothing is known of such a record"
}

// withHands returns a new list with more, each once.
func withHands(known []Hand, more ...Hand) []Hand {
	out := slices.Clone(known)
	for _, h := range more {
		if !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// Barred returns the job by which one is barred from a task, and as whom: its not-by names the job,
// and the same name or the same session took it. Otherwise both are "".
func (s State) Barred(j workflow.Job, by Hand) (job, as string) {
	for _, name := range j.NotBy {
		for _, h := range s.Jobs[name].Hands {
			if h.By == by.By || h.Session != "" && h.Session == by.Session {
				return name, h.By
			}
		}
	}
	return "", ""
}

// Takers returns the members who are not barred from a task.
func (s State) Takers(j workflow.Job, members []string) []string {
	var out []string
	for _, name := range members {
		if job, _ := s.Barred(j, Hand{By: name}); job == "" {
			out = append(out, name)
		}
	}
	return out
}

// mayEnd reports whether a job without a running attempt can be ended by a record: it is skipped,
// or fails for good, after it was lost or after an attempt failed.
func (j Job) mayEnd(r Record) bool {
	open := j.Status == "" || j.Status == Gave && !j.Final
	return open && (r.Kind == Skipped || r.Kind == Failed && r.Outcome == Broke)
}

func (j Job) ended(r Record) Job {
	if r.By != j.Claimant || r.Spent == nil { // a worker says what its command used
		j.Spent = j.Spent.Plus(j.lost(r.At))
	}
	j.Status = map[Kind]Status{Done: Did, Failed: Gave, Skipped: Left}[r.Kind]
	j.By, j.At, j.Head, j.Reason, j.Result, j.Report, j.Output = r.By, r.At, r.Head, r.Reason, r.Result, r.Report, r.Output
	j.Claimant, j.Until, j.Since, j.Token, j.Outputs, j.Artifacts, j.Approval, j.Hands = "", time.Time{}, time.Time{}, "", r.Outputs, r.Artifacts, r.Approval, withHands(j.Hands, r.Hands...)
	j.Spent, j.Attempt = j.Spent.Plus(r.Spent), max(j.Attempt, r.Attempt)
	if r.Kind == Failed {
		j.Failures++
		j.Final = r.Outcome == Broke
	}
	j.Blocked = r.Kind == Skipped && r.Outcome == Broke
	return j
}

// lost returns the usage of a worker that held the task until at and left no result; nil if none did.
func (j Job) lost(at time.Time) *Spent {
	if j.Status != Waiting || j.Token == "" {
		return nil
	}
	if at.After(j.Until) {
		at = j.Until
	}
	return &Spent{Lost: 1, MS: max(at.Sub(j.Since).Milliseconds(), 0)}
}

// Spent adds up what the commands of all jobs used until now; nil if none says.
func (s State) Spent(now time.Time) (sum *Spent) {
	for _, name := range slices.Sorted(maps.Keys(s.Jobs)) {
		j := s.Jobs[name]
		if sum = sum.Plus(j.Spent); !j.Held(now) {
			sum = sum.Plus(j.lost(now))
		}
	}
	return sum
}

// Brief returns a run without its jobs' results, reports and outputs. It has only what version 1
// of the records had: folded journals keep it, and it must be what their records give.
func (s State) Brief() State {
	jobs := make(map[string]Job, len(s.Jobs))
	for name, j := range s.Jobs {
		j.Result, j.Report, j.Output, j.Outputs, j.Artifacts, j.Approve, j.Approval = nil, nil, nil, nil, nil, false, nil
		j.Failures, j.Losses, j.Stops, j.Final, j.Blocked, j.Token, j.Hands = 0, 0, 0, false, false, "", nil
		j.Since = time.Time{}
		j.Spent = nil
		jobs[name] = j
	}
	s.Jobs, s.First = jobs, time.Time{}
	return s
}
