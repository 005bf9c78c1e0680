package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/assent-dev/assent/bench/measure"
	"github.com/assent-dev/assent/engine/sandbox"
)

// sandboxed is what a call of a tool costs more than the same process without a
// sandbox.
func sandboxed(ctx context.Context, b *bench) ([]line, error) {
	box, err := sandbox.New(ctx)
	if err != nil {
		return nil, err
	}
	const program = "/usr/bin/true"
	inside := func() error {
		r, err := box.Run(ctx, sandbox.Spec{Args: []string{program}, Write: true})
		if err == nil && !r.OK() {
			err = fmt.Errorf("%s %s: %s", program, r.Ended, r.Stderr)
		}
		return err
	}
	bare := func() error { return exec.CommandContext(ctx, program).Run() }
	bubblewrap := func() error {
		return exec.CommandContext(ctx, "bwrap", "--unshare-all", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib",
			"--symlink", "usr/lib64", "/lib64", "--proc", "/proc", "--dev", "/dev", "--new-session", "--die-with-parent", program).Run()
	}
	took, err := b.short.Medians(ctx, measure.Seconds(inside), measure.Seconds(bare), measure.Seconds(bubblewrap))
	if err != nil {
		return nil, err
	}
	if took[0] < took[1] {
		return nil, errors.New("a process was faster inside than outside: the machine is too busy to measure")
	}
	return []line{
		{What: "what the sandbox adds to a process", Peer: "the same process, bare", Unit: inSeconds, Ours: took[0] - took[1], Theirs: took[1], Most: 0.006},
		{What: "the same process in the sandbox", Peer: "bubblewrap alone around it", Unit: inSeconds, Ours: took[0], Theirs: took[2]},
	}, nil
}
