package composed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Limits bound one run.
type Limits struct {
	// Steps are those of the interpreter, and those charged for examining large values.
	Steps uint64
	// Memory is the total of bytes that a run may allocate for values. Freed memory is
	// not given back, so the same program on the same input always ends the same way.
	Memory int64
	// Calls bounds the calls of tools.
	Calls int
}

// DefaultLimits allow one or two seconds of work.
func DefaultLimits() Limits { return Limits{Steps: 10_000_000, Memory: 64 << 20, Calls: 100} }

// Caller calls a tool with a JSON object and returns its JSON answer. name is as spelled
// in the program. An error ends the program.
type Caller func(ctx context.Context, name string, input json.RawMessage) (json.RawMessage, error)

// Outcome is the result of a program.
type Outcome struct {
	Output json.RawMessage
	// Printed is the program's output by print, cut to a few thousand bytes.
	Printed string
	Steps   uint64
}

// Failure is the reason why a program gave no answer.
type Failure struct {
	// Pos is the place in the program, as far as known.
	Pos     diag.Pos
	Message string
	// Limit: the run exceeded a limit. Interrupted: its context ended.
	Limit, Interrupted bool
	cause              error
}

// Error returns file:line:column and the message.
func (f *Failure) Error() string {
	if f.Pos.File == "" {
		return f.Message
	}
	return f.Pos.String() + ": " + f.Message
}

// Unwrap returns the error of a called tool, if that was the cause.
func (f *Failure) Unwrap() error { return f.cause }

const maxPrinted = 4 << 10

// Reasons for which the library cancels a run.
const (
	tooManySteps = "too many steps"
	interrupted  = "interrupted"
)

// Run runs the program on input, a JSON value, and returns the answer of main. The error
// is a *Failure. It ends soon after ctx, even within a loop.
func (p *Program) Run(ctx context.Context, input json.RawMessage, lim Limits, call Caller) (Outcome, error) {
	m := &meter{memory: lim.Memory, limit: lim.Memory, done: ctx.Done()}
	var printed strings.Builder
	thread := &starlark.Thread{
		Name:       "main",
		Print:      func(_ *starlark.Thread, msg string) { note(&printed, msg) },
		OnMaxSteps: func(t *starlark.Thread) { t.Cancel(tooManySteps) },
	}
	thread.SetMaxExecutionSteps(lim.Steps)
	thread.SetLocal(meterLocal, m)
	defer context.AfterFunc(ctx, func() { thread.Cancel(interrupted) })()
	output, err := p.run(ctx, thread, m, input, environment(ctx, m, lim.Calls, call))
	out := Outcome{Output: output, Printed: printed.String(), Steps: thread.Steps}
	if err != nil {
		return out, failed(ctx, err)
	}
	return out, nil
}

func (p *Program) run(ctx context.Context, t *starlark.Thread, m *meter, input json.RawMessage, env starlark.StringDict) (json.RawMessage, error) {
	given, err := m.decode(input)
	if err != nil {
		return nil, fmt.Errorf("the input: %w", err)
	}
	globals, err := p.compiled.Init(t, env)
	if err != nil {
		return nil, err
	}
	answer, err := starlark.Call(t, globals["main"], starlark.Tuple{given}, nil)
	if err != nil {
		return nil, err
	}
	output, err := m.encode(t, answer)
	if err != nil {
		return nil, fmt.Errorf("the answer of main: %w", err)
	}
	return output, ctx.Err()
}

func note(b *strings.Builder, msg string) {
	if room := maxPrinted - b.Len(); room > 0 {
		b.WriteString(strings.ToValidUTF8(msg[:min(len(msg), room)], ""))
		b.WriteByte('\n')
	}
}

// failed turns an error of the library into a Failure.
func failed(ctx context.Context, err error) *Failure {
	f := &Failure{Message: clip(err.Error()), Limit: errors.Is(err, errLimit), cause: errors.Unwrap(err)}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		f.Pos, f.cause = innermost(eval.CallStack), eval.Unwrap()
		f.Message = clip(strings.TrimPrefix(eval.Msg, "fail: "))
	}
	var called *calledError
	if errors.As(err, &called) {
		f.Message, f.cause = called.Error(), called.err
	}
	switch {
	case ctx.Err() != nil:
		f.Interrupted, f.Message, f.cause = true, interrupted, ctx.Err()
	case strings.HasSuffix(f.Message, tooManySteps):
		f.Limit, f.Message = true, tooManySteps
	}
	return f
}

// innermost returns the last position in the program itself.
func innermost(stack starlark.CallStack) diag.Pos {
	for i := len(stack) - 1; i >= 0; i-- {
		if p := stack[i].Pos; p.Line > 0 {
			return place(p)
		}
	}
	return place(syntax.Position{})
}
