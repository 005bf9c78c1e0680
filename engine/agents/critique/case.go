package critique

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/transcript"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/critic"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Kind is the kind of a Fault.
type Kind int

// The kinds of faults.
const (
	NotEnded Kind = iota // the mission is unknown here, or still open
	Invalid              // a result document or an answer is not of the required form
	NoAnswer             // the command failed
	NoRecord             // a judgement cannot be recorded as a trial
)

// Fault says why nothing was judged, and what to do.
type Fault struct {
	Kind Kind
	Err  error
	Fix  string
}

func (f *Fault) Error() string { return f.Err.Error() }

func (f *Fault) Unwrap() error { return f.Err }

// Bounds of what is kept of a transcript: events, the bytes of one text and of a name, and unknown names.
const (
	maxEvents  = 400
	maxSaid    = 8 << 10
	maxName    = 200
	maxUnknown = 50
)

// Case is what is judged: the uses of capabilities in force, and what happened.
type Case struct {
	// Unknown are names in a transcript's calls of assent that are not in force.
	Unknown []string

	cur      workspace.Session
	question critic.Question
	mission  string
	read     bool // a transcript or a result was read
	// records has the version and content that were used, by name.
	records map[string]trial.Observation
}

// Open begins a case: with the uses of a recorded mission, or with none if mission is "".
func Open(cur workspace.Session, mission string) (*Case, error) {
	c := &Case{
		cur: cur, mission: mission, records: map[string]trial.Observation{},
		question: critic.Question{Task: critic.Instructions, Events: []critic.Event{}},
	}
	if mission == "" {
		return c, nil
	}
	m, trials, err := triallog.MissionTrials(workspace.TrialsOf(cur), mission)
	switch {
	case err != nil:
		return nil, err
	case m.Begun.IsZero():
		return nil, &Fault{NotEnded, fmt.Errorf("no mission %q was recorded here in the last %d days", mission, triallog.MissionDays), "assent mission list"}
	case m.Outcome == trial.Open:
		return nil, &Fault{NotEnded, fmt.Errorf("the mission %s has not ended", mission), "assent mission end " + names.ForShell(mission) + " --outcome OUTCOME"}
	}
	c.question.Evidence = critic.Of(m, trials)
	for _, t := range trials {
		c.records[t.Capability] = t.Observation
	}
	return c, nil
}

// Read adds a transcript or a result document. A mission's record already has the uses, so only the events
// are added to it. The summary is that of a transcript; nil for a result document.
func (c *Case) Read(in io.Reader) (*transcript.Summary, error) {
	c.read = true
	head, err := io.ReadAll(io.LimitReader(in, critic.MaxResult+1))
	if err != nil {
		return nil, fmt.Errorf("read what happened: %w", err)
	}
	if len(head) <= critic.MaxResult && critic.IsResult(head) {
		return nil, c.addResult(head)
	}
	read, err := transcript.Read(bufio.NewReader(io.MultiReader(bytes.NewReader(head), in)), c.hear)
	c.question.Events = critic.Ends(c.question.Events)
	return &read, err
}

// addResult adds the steps of an executed plan. Each names what is in force.
func (c *Case) addResult(text []byte) error {
	r, err := critic.ReadResult(text)
	if err != nil {
		return &Fault{Invalid, err, "assent schema plan-result describes the form"}
	}
	q := &c.question
	q.Goal, q.Outcome = cmp.Or(q.Goal, r.Goal), cmp.Or(q.Outcome, r.Outcome)
	for i, s := range r.Steps {
		name, known, err := c.inForce(s.Tool)
		if err != nil {
			return err
		}
		if !known {
			return &Fault{Invalid, fmt.Errorf("step %d uses %.80q, which is not in force", i+1, s.Tool), "assent list"}
		}
		q.Events = append(q.Events, critic.Event{Tool: s.Tool, Args: s.Args, Result: s.Result, Failed: s.Outcome == trial.Failure})
		if c.mission == "" {
			q.Add(critic.Use{Name: name, Level: trial.Followed, Outcome: s.Outcome, Error: s.Error, Tokens: s.Tokens})
		}
	}
	q.Events = critic.Ends(q.Events)
	return nil
}

// hear adds an event of a transcript, and counts a call of what is in force.
func (c *Case) hear(e gaps.Event) {
	q := &c.question
	if e.Words != "" {
		q.Events = append(q.Events, critic.Event{Said: strings.ToValidUTF8(e.Words[:min(len(e.Words), maxSaid)], "")})
	}
	if len(q.Events) >= maxEvents {
		q.Events = slices.Clone(critic.Ends(q.Events[maxEvents/2:]))
	}
	if e.Call == nil {
		return
	}
	q.Events = append(q.Events, critic.Event{Tool: e.Call.Tool, Input: e.Call.Input, Output: e.Call.Output, Failed: e.Call.Failed})
	called, level := critic.Called(e.Call.Tool, e.Call.Input)
	if called == "" || c.mission != "" {
		return
	}
	name, known, err := c.inForce(called)
	if err != nil || !known {
		if strings.HasPrefix(e.Call.Tool, critic.Served) && len(called) <= maxName && !slices.Contains(c.Unknown, called) && len(c.Unknown) < maxUnknown {
			c.Unknown = append(c.Unknown, called)
		}
		return
	}
	u := critic.Use{Name: name, Level: level}
	switch {
	case e.Call.Failed:
		u.Outcome = trial.Failure
	case level == trial.Followed:
		u.Outcome = trial.Success
	}
	q.Add(u)
}

// inForce finds the capability in force that a call names.
func (c *Case) inForce(called string) (string, bool, error) {
	if len(called) > maxName {
		return "", false, nil
	}
	for _, name := range critic.Names(called) {
		known, err := c.cur.View.Named(name)
		if err != nil || len(known) > 0 {
			return names.Fold(name), err == nil, err
		}
	}
	return "", false, nil
}

// describe adds what is in force of each tool, and its health.
func (c *Case) describe() error {
	healthOf := workspace.HealthOf(c.cur)
	for _, t := range c.question.Tools {
		known, err := c.cur.View.Named(t.Name)
		if err != nil || len(known) == 0 {
			continue // what a mission used may be archived by now
		}
		is, _, err := capability.Glance(c.cur.View, known[0])
		if err != nil {
			return err
		}
		at, err := c.cur.View.Lookup(is.Path)
		if err != nil {
			return err
		}
		t.Description = is.Description
		if _, recorded := c.records[t.Name]; !recorded {
			c.records[t.Name] = trial.Observation{Version: is.Version, Blob: at.Hash.String()}
		}
		if h, err := healthOf.Read(t.Name); err == nil {
			t.Health = h.Entry(c.records[t.Name].Blob, c.records[t.Name].Version).State
		}
	}
	return nil
}
