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
	// Steps are those of the interpreter, and those that are charged for looking at
	// large values.
	Steps uint64
	// Memory is how many bytes of values a run may make in all. What it lets go of is
	// not given back, so the same program upon the same input always ends the same way.
	Memory int64
	// Calls is how often tools may be called.
	Calls int
}

// DefaultLimits are a second or two of work.
func DefaultLimits() Limits { return Limits{Steps: 10_000_000, Memory: 64 << 20, Calls: 100} }

// Caller calls a tool by the name that a program spells, with a JSON object, and
// returns the JSON that it answers. An error ends the program.
type Caller func(ctx context.Context, name string, input json.RawMessage) (json.RawMessage, error)

// Outcome is what a program came to.
type Outcome struct {
	Output json.RawMessage
	// Printed is what the program printed, at most a few thousand bytes.
	Printed string
	Steps   uint64
}

// Failure is why a program did not come to an answer.
type Failure struct {
	// Pos is where, as far as the program goes.
	Pos     diag.Pos
	Message string
	// Limit: it used up what a run may. Interrupted: it was told to end.
	Limit, Interrupted bool
	cause              error
}

// Error gives file:line:column and what happened there.
func (f *Failure) Error() string {
	if f.Pos.File == "" {
		return f.Message
	}
	return f.Pos.String() + ": " + f.Message
}

// Unwrap gives what a tool failed with, where it was that.
func (f *Failure) Unwrap() error { return f.cause }

const maxPrinted = 4 << 10

// Why a run was ended from outside of the program.
const (
	tooManySteps = "too many steps"
	interrupted  = "interrupted"
)

// Run runs the program upon input, a JSON value, and returns what main answers. The
// error is a *Failure. It ends soon after ctx does, also inside of a loop.
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

// failed makes a Failure of what the library returned.
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

// innermost is the last place in the program itself.
func innermost(stack starlark.CallStack) diag.Pos {
	for i := len(stack) - 1; i >= 0; i-- {
		if p := stack[i].Pos; p.Line > 0 {
			return place(p)
		}
	}
	return place(syntax.Position{})
}
