package sandbox

import (
	"context"
	"errors"
)

// A Refusal says why this machine cannot protect itself from a program, and what to
// do about it. Nothing was run.
type Refusal struct {
	Why string // "bubblewrap is not installed"
	Fix string // what to do, as a sentence without a full stop
}

func (r *Refusal) Error() string {
	return "nothing runs without a sandbox: " + r.Why + "; " + r.Fix
}

// OrRefusing takes what New or NewUnprotected gave, and puts a Runner that refuses every
// program in the place of a Refusal: what starts no process, such as a composed tool,
// needs no machine that isolates.
func OrRefusing(r Runner, err error) (Runner, error) {
	var no *Refusal
	if errors.As(err, &no) {
		return refusing{no}, nil
	}
	return r, err
}

// refusing runs nothing.
type refusing struct{ why *Refusal }

func (r refusing) Run(context.Context, Spec) (Result, error)     { return Result{}, r.why }
func (r refusing) Start(context.Context, Spec) (*Process, error) { return nil, r.why }
func (refusing) Protects() bool                                  { return true }

// A SpecError says that a Spec asks for what cannot be given. Nothing was run.
type SpecError struct{ Reason string }

func (e *SpecError) Error() string { return "sandbox: " + e.Reason }
