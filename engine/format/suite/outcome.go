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

// Runner runs a capability once. The input reaches it as it is, unless the call says that it is
// checked: whether the capability refuses it itself is what some written cases are about.
// The error is for a world that failed, never for a capability that did.
type Runner func(ctx context.Context, call Call) (Outcome, error)

// Call is one run that is asked for.
type Call struct {
	// Case names it in messages.
	Case string
	// Input is the argument as JSON; nil calls without one.
	Input []byte
	// Timeout is how long it may take; 0 leaves that to the record.
	Timeout time.Duration
	// Checked: the input is held against the schema first, as that of a call is.
	Checked bool
}

// Ended is how a run ended.
type Ended string

// The ends of a run. The first three are ends that a capability may choose; all
// others happen to it.
const (
	// Answered: a function or server returned a value.
	Answered Ended = "answered"
	// Failed: a function or server told an error, see Outcome.Message.
	Failed Ended = "failed"
	// Exited: a process ended by itself with Outcome.Exit.
	Exited Ended = "exited"

	Crashed    Ended = "crashed"     // a fault that it did not handle, in process or in a server
	Killed     Ended = "killed"      // a process was ended by a signal that is none of ours
	TimedOut   Ended = "timed out"   // its time was up
	OverMemory Ended = "over memory" // its memory was up
	OverOutput Ended = "over output" // it wrote more than it may
	Denied     Ended = "denied"      // stopped for something that it may not do

	// NotRun: it never started; Outcome.Message says why. It is the zero value's meaning too.
	NotRun Ended = "not run"
)

// Outcome is what one run came to. Its texts are the capability's and hostile.
type Outcome struct {
	Ended Ended
	// Exit is the exit code where a process Exited.
	Exit int
	// Stdout and Stderr are what a process wrote, cut at the runner's limits and with
	// secrets taken out.
	Stdout, Stderr string
	// Value is what a function or server answered, as JSON decodes it; of a process,
	// the answer is read from Stdout.
	Value any
	// Message says more of Failed, Crashed, Denied and NotRun.
	Message string
	// Refuses: a server Failed because of its input, and says so.
	Refuses bool
	// Took is how long it ran. No digest covers it.
	Took time.Duration
}

// Ran reports whether there was a run at all.
func (o Outcome) Ran() bool { return o.Ended != NotRun && o.Ended != "" }

// Answer is what was answered: a function's value, or of a process what its whole
// output is as JSON, else its output as text without the last line break. ok is false
// where nothing was written, or nothing could be.
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
		return nil, err //nolint:wrapcheck // a text that is no JSON is no failure
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errMore
	}
	return v, nil
}

// plain brings a value into the form that parseJSON gives.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("not expressible as JSON: %w", err)
	}
	return parseJSON(text)
}
