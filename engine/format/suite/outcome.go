package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Runner runs a capability once. The input is passed unchecked unless call.Checked: some
// written cases test whether the capability itself refuses it. The error is a failure of
// the environment, never of the capability.
type Runner func(ctx context.Context, call Call) (Outcome, error)

// Call describes one run.
type Call struct {
	// Case names the case in messages.
	Case string
	// Input is the argument as JSON; nil calls without one.
	Input []byte
	// Timeout bounds the run; 0 means that of the record.
	Timeout time.Duration
	// Checked: the schema is applied to the input first, as for a call.
	Checked bool
}

// Ended is how a run ended.
type Ended string

// The ends of a run. A capability can choose the first three; the others happen to it.
const (
	// Answered: a function or server returned a value.
	Answered Ended = "answered"
	// Failed: a function or server reported an error, see Outcome.Message.
	Failed Ended = "failed"
	// Exited: a process ended by itself with Outcome.Exit.
	Exited Ended = "exited"

	Crashed    Ended = "crashed"     // an unhandled fault, in process or in a server
	Killed     Ended = "killed"      // a signal that the runner did not send ended the process
	TimedOut   Ended = "timed out"   // it exceeded its time
	OverMemory Ended = "over memory" // it exceeded its memory
	OverOutput Ended = "over output" // it exceeded its output
	Denied     Ended = "denied"      // stopped for a forbidden operation

	// NotRun: it never started; Outcome.Message has the reason. The zero value means the
	// same.
	NotRun Ended = "not run"
)

// Outcome is the result of one run. Its texts come from the capability and may be
// hostile.
type Outcome struct {
	Ended Ended
	// Exit is the exit code of a process that Exited.
	Exit int
	// Stdout and Stderr are the output of a process, cut at the runner's limits and
	// without secrets.
	Stdout, Stderr string
	// Value is the answer of a function or server as decoded JSON. The answer of a
	// process is read from Stdout.
	Value any
	// Message has details of Failed, Crashed, Denied and NotRun.
	Message string
	// Refuses: a server Failed and says that its input is the reason.
	Refuses bool
	// Took is the duration of the run. No digest covers it.
	Took time.Duration
}

// Ran reports whether the run started.
func (o Outcome) Ran() bool { return o.Ended != NotRun && o.Ended != "" }

// Answer returns a function's value, or a process's complete output as JSON, else as text
// without the last line break. ok is false if there is no output, or the outcome cannot
// have an answer.
func (o Outcome) Answer() (answer any, ok bool) {
	switch o.Ended {
	case Answered:
		return o.Value, true
	case Exited:
		if strings.TrimSpace(o.Stdout) == "" {
			return nil, false
		}
		if v, err := parseJSON([]byte(o.Stdout)); err == nil {
			return v, true
		}
		return strings.TrimSuffix(strings.TrimSuffix(o.Stdout, "\n"), "\r"), true
	}
	return nil, false
}

var errMore = errors.New("more than one JSON value")

// parseJSON reads one JSON value and nothing after it; numbers keep their digits.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err //nolint:wrapcheck // a text that is not JSON is not a failure
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errMore
	}
	return v, nil
}

// plain converts a value to the form that parseJSON returns.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("not expressible as JSON: %w", err)
	}
	return parseJSON(text)
}
