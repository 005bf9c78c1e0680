package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/sandbox"
)

// ran is the result of a run.
type ran struct {
	suite.Outcome
	// kind is the reason of a failure, if the outcome alone does not show it.
	kind    ErrorType
	printed string
	// cost is the total cost that it reports.
	cost float64
	// refused is set if a server reports that it refuses the input. unread is set if the program
	// failed on an input too long for an argument, which it may not have read from standard input.
	refused, unread bool
	// last is the failure of a tool below a composed one, hint the advice for that.
	last, hint string
}

// run runs a prepared call and judges its result.
func (e *Engine) run(ctx context.Context, j job, res *Result) error {
	out, err := e.execute(ctx, j)
	if err != nil {
		return unavailable(j.capability.Name, err)
	}
	res.Printed, res.last = out.printed, out.last
	if err := e.account().settle(ctx, j, out.cost, res); err != nil {
		return err
	}
	if err := ended(ctx, out); err != nil {
		return j.explained(err, out)
	}
	answer, ok := out.Answer()
	if !ok {
		return j.explained(refuse(InvalidAnswer, "", "%s", suite.Cause(out.Outcome)), out)
	}
	if cause, is := suite.ErrorAnswer(out.Outcome); is {
		if res.Answer, err = encode(answer); err != nil {
			return err
		}
		return j.explained(refuse(Failed, "", "%s", cause), out)
	}
	for _, c := range j.signatures() {
		if err := fits(c.Record.Output, answer, InvalidOutput, "the answer", c.Name); err != nil {
			return taken(err, out.Outcome)
		}
	}
	res.Success = true
	res.Result, err = encode(answer)
	return err
}

// signatures are those that the answer of a tool has to fit: its own, and that of the
// specification that was called.
func (j job) signatures() []capability.Capability {
	if j.capability.Kind != capability.KindTool {
		return nil
	}
	if j.spec != nil {
		return []capability.Capability{j.capability, *j.spec}
	}
	return []capability.Capability{j.capability}
}

// taken says of an answer that does not fit, and was taken for a text, why it was: it is no JSON.
func taken(err error, out suite.Outcome) error {
	var r *refusal
	if why := suite.NoJSON(out); why != "" && errors.As(err, &r) {
		r.kind, r.text, r.faults = InvalidAnswer, r.text+why, nil
		r.hint = "it prints its answer to standard output, as one JSON value and nothing else; what is for people goes to standard error"
	}
	return err
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// execute runs the call in the environment of its runtime.
func (e *Engine) execute(ctx context.Context, j job) (ran, error) {
	switch j.capability.Record.Run.Runtime {
	case capability.Starlark:
		return e.compose(ctx, j)
	case capability.MCPStdio, capability.MCPHTTP:
		return e.machine().serve(ctx, j)
	}
	return e.machine().script(ctx, j)
}

// unavailable returns the refusal for something that the machine lacks.
func unavailable(name string, err error) error {
	var refused *sandbox.Refusal
	var missing *sandbox.Missing
	var spec *sandbox.SpecError
	switch {
	case errors.As(err, &refused):
		return refuse(NoSandbox, refused.Fix, "%s does not run: %s", name, refused.Why)
	case errors.As(err, &missing):
		return refuse(NotAvailable, "", "%s does not run: %s", name, missing)
	case errors.As(err, &spec):
		return refuse(NotAvailable, "", "%s does not run: %s", name, spec.Reason)
	}
	return err
}

// settle charges the cost of a call beyond the charge before it, and records the session's
// consumption. A reported cost below that charge is ignored.
func (a account) settle(ctx context.Context, j job, said float64, res *Result) error {
	if a.free {
		return nil
	}
	declared := 0.0
	if cost := j.capability.Record.Cost; cost != nil {
		declared = cost.PerUse
	}
	var spent calls.Spent
	var err error
	if said > declared {
		spent, err = a.ledger.Add(context.WithoutCancel(ctx), a.session, said-declared, a.now())
		res.cost += said - declared
	} else {
		spent, err = a.ledger.Session(a.session)
	}
	res.Spent = &spent
	return err
}

// ended says why a run that ended as it did has no answer.
func ended(ctx context.Context, out ran) error {
	kind := out.kind
	switch out.Ended {
	case suite.Answered:
		return nil
	case suite.Exited:
		if out.Exit == 0 {
			return nil
		}
		kind = Failed
	case suite.TimedOut:
		kind = TimedOut
	case suite.OverMemory:
		kind = OutOfMemory
	case suite.OverOutput:
		kind = TooMuchOutput
	case suite.Failed:
		if kind == "" {
			kind = Failed
		}
	default:
		kind = Crashed
	}
	if ctx.Err() != nil {
		return refuse(Interrupted, "", "it was interrupted")
	}
	return refuse(kind, "", "%s", suite.Cause(out.Outcome))
}

// explained adds the record's entry for the error, or advice about a bound of the sandbox.
func (j job) explained(err error, out ran) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	if p, ok := suite.Explain(j.capability.Record.ErrorPatterns, out.Message, out.Stderr, out.Stdout, r.text); ok {
		r.pattern, r.known = &p, r.kind == Failed && !p.Resolved
		r.hint = strings.TrimRight(p.Means, ". ")
		if p.Resolved {
			r.hint += "; its record says that this is resolved, so it has returned"
		}
		if p.Fix != "" {
			r.hint += "; " + p.Fix
		}
	} else {
		refused := out.refused || suite.Refused(out.Outcome)
		r.known = r.kind == Failed && (refused || out.unread)
		if r.hint == "" {
			r.hint = out.hint
		}
		if r.hint == "" && r.known {
			r.hint = "it refuses this input, which does not count against it: call it with another one"
		}
	}
	if r.hint == "" {
		r.hint = suite.Remedy(out.Outcome)
	}
	return r
}
