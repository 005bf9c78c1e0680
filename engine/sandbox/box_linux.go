//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// Box runs programs isolated from this machine and from each other, as docs/sandbox.md
// describes.
type Box struct {
	programs programs
	machine  machine
	ahead    ahead
}

// New returns a Box if a trial shows that this machine can isolate programs, else a Refusal.
func New(ctx context.Context) (*Box, error) {
	m, err := probe(ctx)
	if err != nil {
		return nil, err
	}
	return &Box{machine: m}, nil
}

// Protects implements Runner.
func (*Box) Protects() bool { return true }

// Walls names the isolation mechanisms in use, for people.
func (b *Box) Walls() []string {
	walls := []string{"namespaces", "seccomp", "no Landlock", "no control groups"}
	if version := stage.LandlockVersion(); version > 0 {
		walls[2] = fmt.Sprintf("Landlock (version %d)", version)
	}
	if b.machine.groups != nil {
		walls[3] = fmt.Sprintf("control groups (version %d)", b.machine.groups.Version())
	}
	return walls
}

// Run implements Runner.
func (b *Box) Run(ctx context.Context, spec Spec) (Result, error) {
	spec, err := spec.check()
	if err != nil {
		return Result{}, err
	}
	if template := b.ahead.template(&spec); template != nil {
		defer b.prepare(template)
		if r := b.proceed(ctx, &spec, template); r.Ended != NotRun {
			return r, nil
		}
	}
	p, err := b.launch(ctx, spec, false)
	if err != nil {
		return Result{}, err
	}
	return p.Wait(), p.Failure()
}

// Start implements Runner.
func (b *Box) Start(ctx context.Context, spec Spec) (*Process, error) {
	return b.launch(ctx, spec, true)
}

func (b *Box) launch(ctx context.Context, spec Spec, talk bool) (*Process, error) {
	spec, j, err := b.job(ctx, spec, false)
	if err != nil {
		return nil, err
	}
	return launch(ctx, spec, j, talk)
}

// job builds the command for a Spec, and returns that with its defaults.
func (b *Box) job(ctx context.Context, spec Spec, late bool) (Spec, *job, error) {
	spec, err := spec.check()
	if err != nil {
		return spec, nil, err
	}
	var found program
	if !strings.Contains(spec.Args[0], "/") {
		if found, err = b.programs.find(ctx, spec.Args[0]); err != nil {
			return spec, nil, err
		}
	}
	j, err := b.machine.prepare(spec, found, late)
	return spec, j, err
}
