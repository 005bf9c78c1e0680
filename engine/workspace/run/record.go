package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/format/review"
)

// Version is the version of the records that this package writes; it reads the older ones, too.
// MaxRecord bounds one, in bytes.
const (
	Version   = 4
	MaxRecord = 256 << 10
)

// Kind is the kind of a record.
type Kind string

// Closes reports whether the last record of a run that ended can be of this kind.
func (k Kind) Closes() bool { return k == Ended || k == Kept }

// The kinds of records.
const (
	Started  Kind = "started"
	Asked    Kind = "asked"    // a role is asked to do a task, or to approve
	Claimed  Kind = "claimed"  // an agent does it, until its lease ends
	Begun    Kind = "begun"    // a script runs; no other process starts it until then
	Renewed  Kind = "renewed"  // it still runs, and its lease is longer
	Lost     Kind = "lost"     // the process that ran it ended or was stopped without a result
	Reminded Kind = "reminded" // the task is still open, and its role is notified again
	Done     Kind = "done"     // a job is done, and its gate is passed
	Failed   Kind = "failed"   // an attempt failed: the agent gave up, time ran out, or the gate refused
	Skipped  Kind = "skipped"  // a job's condition is false
	Ended    Kind = "ended"
	Kept     Kind = "kept" // the output of a script that the end of its run stopped; only after Ended
)

// Outcome is how a run ended; empty for one that goes on.
type Outcome string

// The outcomes.
const (
	Completed Outcome = "completed"
	Broke     Outcome = "failed"
	Cancelled Outcome = "cancelled"
)

// Phrase returns how a run ended, as a predicate: "has completed", "was cancelled".
func (o Outcome) Phrase() string {
	if o == Cancelled {
		return "was " + string(o)
	}
	return "has " + string(o)
}

// Record is one event of a run.
type Record struct {
	V    int  `json:"v"`
	Kind Kind `json:"kind"`
	// Job and Attempt, from 1, are set but for Started and Ended; actions have no
	// attempts, and those of a script are how often it was begun.
	Job     string `json:"job,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// Role is the role asked, or the name of the person. Approve is set if an approval is asked for.
	Role    string `json:"role,omitempty"`
	Approve bool   `json:"approve,omitempty"`
	// Until is when a claim ends, or a started script counts as lost.
	Until time.Time `json:"until,omitzero"`
	// Token names the process that begins a script, to the machine on which it runs, or the worker whose command does a task.
	Token string `json:"token,omitempty"`
	// Session is a digest of the client's session that claims a task. Hands are those of a job whose
	// result is taken over from another run.
	Session string `json:"session,omitempty"`
	Hands   []Hand `json:"hands,omitempty"`
	// Reason is free text. Outcome is set for Ended; of a Failed job it is Broke if no other
	// attempt may follow, of a Skipped one if that is because of a failure. Of a Lost one it is Cancelled if its
	// process was told to stop.
	Reason  string  `json:"reason,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	// Outputs are the values of a script.
	Outputs map[string]any `json:"outputs,omitempty"`
	// Proposal is the id of the proposal that received files, Head its commit.
	Proposal string  `json:"proposal,omitempty"`
	Head     string  `json:"head,omitempty"`
	Start    *Start  `json:"start,omitempty"`
	Result   *Result `json:"result,omitempty"`
	Report   *Report `json:"report,omitempty"`
	Output   *Output `json:"output,omitempty"`
	// Artifacts are the files that a script made.
	Artifacts *Artifacts `json:"artifacts,omitempty"`
	// Spent is what the agent's command used for the attempt, as it says.
	Spent *Spent `json:"spent,omitempty"`
	// Approval is a person's signed decision about the job.
	Approval *review.Signed `json:"approval,omitempty"`
	// At and By are the time and the author; both are kept outside the record.
	At time.Time `json:"-"`
	By string    `json:"-"`
}

// Spent is what commands of agents used. Tokens and Cost, in US dollars, are their claims, 0 if they say nothing.
type Spent struct {
	// Runs is how often a command ran, MS for how long in all.
	Runs   int     `json:"runs"`
	MS     int64   `json:"ms"`
	Tokens int64   `json:"tokens,omitempty"`
	Cost   float64 `json:"cost_usd,omitempty"`
	// Lost counts the workers that ended without a result: MS has the time for which each had its task.
	Lost int `json:"lost,omitempty"`
	// AtLeast is set if one of them did not say what it used.
	AtLeast bool `json:"at_least,omitempty"`
}

// The most that Plus adds up to, whatever commands and records claim.
const (
	maxRuns   = 1e9
	maxTokens = 1e15
	maxCost   = 1e9
)

// Plus adds what other commands used. Both may be nil; the sum is bounded.
func (s *Spent) Plus(o *Spent) *Spent {
	if s == nil && o == nil {
		return nil
	}
	var sum Spent
	for _, one := range []*Spent{s, o} {
		if one != nil {
			sum.Runs, sum.MS = min(sum.Runs, maxRuns/2)+min(max(one.Runs, 0), maxRuns/2), min(sum.MS, maxTokens)+min(max(one.MS, 0), maxTokens)
			sum.Lost = min(sum.Lost, maxRuns/2) + min(max(one.Lost, 0), maxRuns/2)
			sum.AtLeast = sum.AtLeast || one.AtLeast || one.Lost > 0 || one.Runs > 0 && one.Tokens <= 0 && one.Cost <= 0
			sum.Tokens, sum.Cost = min(sum.Tokens, maxTokens)+min(max(one.Tokens, 0), maxTokens), min(sum.Cost, maxCost)+min(max(one.Cost, 0), maxCost)
		}
	}
	return &sum
}

// Start holds the inputs of a run.
type Start struct {
	// Run is the id of the run, so that its journal is of no use under another name; records before
	// version 4 have none. The state has it as ID.
	Run      string `json:"run,omitempty"`
	Workflow string `json:"workflow"`
	// Definition is the digest of the workflow's file, and Commit the commit in force at the start,
	// which holds it with its templates. Runs of older versions have no commit.
	Definition string `json:"definition"`
	Commit     string `json:"commit,omitempty"`
	Event      string `json:"event"`
	// For is the person who asked for the run, if any.
	For    string            `json:"for,omitempty"`
	Inputs map[string]string `json:"inputs,omitempty"`
	// Category is the group of the capability in force that the run is about, "." for none; empty if none is in force.
	Category string `json:"category,omitempty"`
	// About is the id of the proposal of the event.
	About string `json:"about,omitempty"`
	// Group is the concurrency group, empty for none.
	Group string `json:"group,omitempty"`
	// Of is the run that this one repeats.
	Of string `json:"of,omitempty"`
}

// Names reports whether the first record of a run's journal can be that of a run.
func (r Record) Names(id string) bool {
	return r.Start == nil || r.Start.Run == "" || r.Start.Run == id
}

// Report is the result of validating the run's proposal.
type Report struct {
	Head     string `json:"head"`
	Passed   bool   `json:"passed"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Risk     string `json:"risk"`
	Summary  string `json:"summary"`
}

// MaxOutput is how many bytes are kept of each of a script's two outputs: the last ones. JSON
// spells a byte in up to six.
const MaxOutput = 16 << 10

// Output is the result of a script, without its secrets.
type Output struct {
	// Exit is its exit code, -1 if it was stopped; Ended says how it ended.
	Exit  int    `json:"exit"`
	Ended string `json:"ended"`
	MS    int64  `json:"ms"`
	// Commit is the commit it ran on: the head of the run's proposal, merged with main, or the
	// commit in force.
	Commit string `json:"commit"`
	// Stdout and Stderr are the ends of its outputs; StdoutCut and StderrCut count the missing
	// bytes before them.
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	StdoutCut int    `json:"stdout_cut,omitempty"`
	StderrCut int    `json:"stderr_cut,omitempty"`
}

// ErrRecord means that a record cannot follow the records before it. Only a faulty program, or a
// ref written by hand, produces one.
var ErrRecord = errors.New("not a record of a run")

// Encode returns the bytes of a record, one JSON object on one line.
func (r Record) Encode() ([]byte, error) {
	if r.V < 1 || r.V > Version {
		return nil, fmt.Errorf("version %d of a run's records; this program reads up to %d: update assent: %w", r.V, Version, ErrRecord)
	}
	data, err := canonical.Line(r)
	if err == nil && len(data) > MaxRecord {
		err = fmt.Errorf("%d bytes, at most %d: %w", len(data), MaxRecord, ErrRecord)
	}
	return data, err
}

// Decode reads what Encode wrote.
func Decode(data []byte) (Record, error) {
	r, err := canonical.Decode[Record]("", data, MaxRecord)
	if err != nil && !errors.Is(err, ErrRecord) {
		err = fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return r, err
}
