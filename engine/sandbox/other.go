//go:build !linux || !(amd64 || arm64)

package sandbox

import "context"

// refusal is the error of every runner on this system.
func refusal() *Refusal {
	return &Refusal{Why: "only Linux on amd64 and arm64 has what isolates a program", Fix: "run this there, in a virtual machine if need be"}
}

// Box isolates only on Linux on amd64 and arm64. This is a placeholder.
type Box struct{}

// New returns a Refusal: this system is not Linux on amd64 or arm64.
func New(context.Context) (*Box, error) { return nil, refusal() }

// Protects implements Runner.
func (*Box) Protects() bool { return true }

// Walls returns nil.
func (*Box) Walls() []string { return nil }

// Run implements Runner. It returns a Refusal.
func (*Box) Run(context.Context, Spec) (Result, error) { return Result{}, refusal() }

// Keep does nothing.
func (*Box) Keep() {}

// Close does nothing.
func (*Box) Close() {}

// Start implements Runner. It returns a Refusal.
func (*Box) Start(context.Context, Spec) (*Process, error) { return nil, refusal() }

// Unprotected runs programs on Linux only: on other systems leftover processes could not be
// killed.
type Unprotected struct{}

// NewUnprotected returns a Refusal: this system is not Linux on amd64 or arm64.
func NewUnprotected() (*Unprotected, error) { return nil, refusal() }

// Protects implements Runner.
func (*Unprotected) Protects() bool { return false }

// Run implements Runner. It returns a Refusal.
func (*Unprotected) Run(context.Context, Spec) (Result, error) { return Result{}, refusal() }

// Start implements Runner. It returns a Refusal.
func (*Unprotected) Start(context.Context, Spec) (*Process, error) { return nil, refusal() }
