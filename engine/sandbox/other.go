//go:build !linux || !(amd64 || arm64)

package sandbox

import "context"

// refusal is what every runner of this system answers.
func refusal() *Refusal {
	return &Refusal{Why: "only Linux on amd64 and arm64 has what isolates a program", Fix: "run this there, in a virtual machine if need be"}
}

// Box isolates on Linux only, on amd64 and arm64; here there is none.
type Box struct{}

// New refuses: this system is not Linux on amd64 or arm64.
func New(context.Context) (*Box, error) { return nil, refusal() }

// Protects implements Runner.
func (*Box) Protects() bool { return true }

// Walls are none.
func (*Box) Walls() []string { return nil }

// Run implements Runner, and refuses.
func (*Box) Run(context.Context, Spec) (Result, error) { return Result{}, refusal() }

// Start implements Runner, and refuses.
func (*Box) Start(context.Context, Spec) (*Process, error) { return nil, refusal() }

// Unprotected runs programs on Linux only: elsewhere nothing kills what they leave behind.
type Unprotected struct{}

// NewUnprotected refuses: this system is not Linux on amd64 or arm64.
func NewUnprotected() (*Unprotected, error) { return nil, refusal() }

// Protects implements Runner.
func (*Unprotected) Protects() bool { return false }

// Run implements Runner, and refuses.
func (*Unprotected) Run(context.Context, Spec) (Result, error) { return Result{}, refusal() }

// Start implements Runner, and refuses.
func (*Unprotected) Start(context.Context, Spec) (*Process, error) { return nil, refusal() }
