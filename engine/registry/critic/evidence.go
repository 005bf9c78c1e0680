package critic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Evidence is what is known of a mission or plan.
type Evidence struct {
	Goal string `json:"goal,omitempty"`
	// Outcome is that of the whole; Open if it is not known.
	Outcome trial.Outcome `json:"outcome,omitempty"`
	Tools   []*Tool       `json:"tools"`
}

// Tool is what is known of one capability in it.
type Tool struct {
	Name        string `json:"tool_name"`
	Description string `json:"description,omitempty"`
	// Loaded and Calls count uses; a call may have no outcome. Retries are calls after one that failed.
	Loaded  int `json:"loaded"`
	Calls   int `json:"calls"`
	Success int `json:"success"`
	Failure int `json:"failure"`
	Partial int `json:"partial"`
	Retries int `json:"retries"`
	// Errors counts classes of errors.
	Errors map[string]int `json:"errors,omitempty"`
	// Tokens were used in all, Lost by failed calls.
	Tokens int64 `json:"tokens,omitempty"`
	Lost   int64 `json:"lost_tokens,omitempty"`
	// Health is that of its code here.
	Health health.State `json:"health,omitempty"`

	failed bool // the last call failed
}

// Use is one use of a capability, in the order of uses.
type Use struct {
	Name    string
	Level   trial.Level
	Outcome trial.Outcome
	Error   string
	Tokens  int64
}

// Add adds a use.
func (e *Evidence) Add(u Use) {
	at := slices.IndexFunc(e.Tools, func(t *Tool) bool { return t.Name == u.Name })
	if at < 0 {
		at = len(e.Tools)
		e.Tools = append(e.Tools, &Tool{Name: u.Name})
	}
	t := e.Tools[at]
	t.Tokens += u.Tokens
	if u.Level == trial.Loaded {
		t.Loaded++
	} else {
		if t.Calls++; t.failed {
			t.Retries++
		}
		t.failed = u.Outcome == trial.Failure
	}
	switch u.Outcome {
	case trial.Success:
		t.Success++
	case trial.Partial:
		t.Partial++
	case trial.Failure:
		t.Failure++
		t.Lost += u.Tokens
	case trial.Open:
	}
	if u.Error != "" && u.Outcome != trial.Success {
		if t.Errors == nil {
			t.Errors = map[string]int{}
		}
		t.Errors[u.Error]++
	}
}

// Of is the evidence of a mission's trials, the oldest first. What was only linked is no evidence.
func Of(m trial.Mission, trials []trial.Trial) Evidence {
	e := Evidence{Goal: m.Task, Outcome: m.Outcome}
	for _, t := range trials {
		if t.Level == trial.Loaded || t.Level == trial.Followed {
			e.Add(Use{t.Capability, t.Level, t.Outcome, t.Error, t.Tokens})
		}
	}
	return e
}

// Result is a plan with what came of its steps.
type Result struct {
	Goal    string        `json:"goal"`
	Outcome trial.Outcome `json:"outcome"`
	Steps   []Step        `json:"steps"`
}

// Step is an executed step. Args and Result are for a critic's command.
type Step struct {
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args,omitempty"`
	Outcome trial.Outcome   `json:"outcome"`
	Error   string          `json:"error,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Tokens  int64           `json:"tokens,omitempty"`
}

// Bounds of a result document.
const (
	MaxResult = 4 << 20
	maxSteps  = 1000
)

// IsResult reports whether a text is a result document, rather than a transcript.
func IsResult(text []byte) bool {
	var shape struct {
		Steps []json.RawMessage `json:"steps"`
	}
	return json.Unmarshal(text, &shape) == nil && shape.Steps != nil
}

// ReadResult reads a result document.
func ReadResult(text []byte) (r Result, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return r, fmt.Errorf("the result is not of the form {goal, outcome, steps}: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("the result has more than one JSON value")
	}
	if len(r.Steps) == 0 || len(r.Steps) > maxSteps {
		return r, fmt.Errorf("the result has %d steps: want 1 to %d", len(r.Steps), maxSteps)
	}
	known := func(o trial.Outcome) bool { return o == trial.Open || slices.Contains(trial.Outcomes(), o) }
	if !known(r.Outcome) {
		return r, fmt.Errorf("outcome %.40q: want success, failure or partial", r.Outcome)
	}
	for i, s := range r.Steps {
		switch {
		case strings.TrimSpace(s.Tool) == "":
			return r, fmt.Errorf("step %d names no tool", i+1)
		case s.Outcome == trial.Open || !known(s.Outcome):
			return r, fmt.Errorf("step %d: outcome %.40q: want success, failure or partial", i+1, s.Outcome)
		case s.Tokens < 0 || s.Tokens > trial.MaxTokens:
			return r, fmt.Errorf("step %d: tokens %d: want 0 to %d", i+1, s.Tokens, int64(trial.MaxTokens))
		case s.Error != "" && !trial.IsClass(s.Error):
			return r, fmt.Errorf("step %d: error %.40q: want a class such as timeout or invalid_output", i+1, s.Error)
		}
	}
	return r, nil
}
