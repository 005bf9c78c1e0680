package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/format/suite"
)

// compose runs a composed tool in this process. Its inner calls go through all checks of a
// call, caps included; only the execution is counted once for all.
func (e *Engine) compose(ctx context.Context, j job) (ran, error) {
	run := j.capability.Record.Run
	path := j.capability.Path + "/" + run.Entry
	src, err := e.View.Read(path)
	if err != nil {
		return ran{}, fmt.Errorf("read %s: %w", path, err)
	}
	program, found := composed.Parse(path, src)
	if found.HasErrors() {
		return ran{}, refuse(NotCallable, found[0].Fix, "%s: %s", found[0].Pos, found[0].Message)
	}
	lim := composed.DefaultLimits()
	lim.Memory = e.permits().memoryOf(*run, lim.Memory)
	began := e.Now()
	within, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	out, err := program.Run(within, j.input, lim, e.caller(j, began))
	took := e.Now().Sub(began)
	var failure *composed.Failure
	switch {
	case err == nil:
		value, err := decode(out.Output)
		return ran{Outcome: suite.Outcome{Ended: suite.Answered, Value: value, Took: took}, printed: out.Printed}, err
	case !errors.As(err, &failure):
		return ran{}, err
	}
	if world := (*worldError)(nil); errors.As(err, &world) {
		return ran{}, world.err
	}
	r := ran{Outcome: suite.Outcome{Ended: suite.Failed, Message: failure.Error(), Took: took}, printed: out.Printed}
	if below := (*failedCall)(nil); errors.As(err, &below) {
		r.last, r.hint = below.last, below.hint
	}
	switch {
	case failure.Interrupted && ctx.Err() == nil:
		r.Ended = suite.TimedOut
	case failure.Limit:
		r.kind, r.hint = LimitsExceeded, "a composed tool has ten million steps, 100 calls, and values of 64 MiB or run.memory, as far as limits.yaml lets it: hand it less, or let a program do the work"
	}
	return r, nil
}

// worldError is a failure of the world below a composed tool: no answer of a tool.
type worldError struct{ err error }

func (w *worldError) Error() string { return w.err.Error() }

// failedCall is the failure of a tool that a composed one called. In a chain of them it
// reports the last, which is the cause.
type failedCall struct{ text, last, hint string }

func (f *failedCall) Error() string { return f.text }

func failedCallOf(name string, res Result) error {
	if res.last != "" {
		return &failedCall{text: "… " + res.last, last: res.last, hint: res.Hint}
	}
	text := fmt.Sprintf("%s (%s)", res.Error, res.Type)
	return &failedCall{text: text, last: "tools." + name + ": " + text, hint: res.Hint}
}

// caller is how a composed tool calls others: for no longer than it may take itself.
func (e *Engine) caller(j job, began time.Time) composed.Caller {
	return func(ctx context.Context, name string, input json.RawMessage) (json.RawMessage, error) {
		if *j.inner++; *j.inner > maxInner {
			text := fmt.Sprintf("one call makes more than %d calls of tools in all", maxInner)
			return nil, &failedCall{text: text, last: text, hint: "hand it less"}
		}
		left := max(j.timeout-e.Now().Sub(began), time.Millisecond)
		res, err := e.do(ctx, Call{Name: name, Input: input, Timeout: left}, j.depth+1, j.inner)
		switch {
		case err != nil && ctx.Err() == nil:
			return nil, &worldError{err}
		case err != nil:
			return nil, err
		case !res.Success:
			return nil, failedCallOf(name, res)
		}
		return res.Result, nil
	}
}
