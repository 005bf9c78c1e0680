package sandbox

import (
	"context"
	"errors"
)

// A Refusal says why this machine cannot isolate programs, and what to do about it. Nothing was
// run.
type Refusal struct {
	Why string // "bubblewrap is not installed"
	Fix string // what to do, as a sentence without a full stop
}

func (r *Refusal) Error() string {
	return "nothing runs without a sandbox: " + r.Why + "; " + r.Fix
}

// OrRefusing takes the results of New or NewUnprotected, and replaces a Refusal by a Runner
// that refuses every program. Code that starts no process, such as a composed tool, then works
// without isolation.
func OrRefusing(r Runner, err error) (Runner, error) {
	var no *Refusal
	if errors.As(err, &no) {
		return refusingRunner{no}, nil
	}
	return r, err
}

// refusingRunner refuses every program.
type refusingRunner struct{ why *Refusal }

func (r refusingRunner) Run(context.Context, Spec) (Result, error)     { return Result{}, r.why }
func (r refusingRunner) Start(context.Context, Spec) (*Process, error) { return nil, r.why }
func (refusingRunner) Protects() bool                                  { return true }

// A SpecError reports an invalid Spec. Nothing was run.
type SpecError struct{ Reason string }

func (e *SpecError) Error() string { return "sandbox: " + e.Reason }
