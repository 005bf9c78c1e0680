package gitrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ErrNoGit is returned if the git program is needed and not installed.
var ErrNoGit = errors.New("the git program is not installed")

// Reach says what a run of git may access. The zero value allows no network.
type Reach int

// The values of Reach.
const (
	// Inside reads or changes this repository, without network access.
	Inside Reach = iota
	// Online uses the network with the settings of a repository.
	Online
	// Outside uses the network without any repository; git looks for none.
	Outside
)

// Call is one run of git.
type Call struct {
	// Dir is the folder in which git runs.
	Dir string
	// GitDir is the Git folder of the repository. If it is empty, git searches from Dir.
	GitDir string
	Reach  Reach
	Args   []string
	// Env has variables in addition to those of this process, as NAME=VALUE.
	Env []string
}

const (
	// patience is how long a cancelled child may take to exit.
	patience = 5 * time.Second
	// maxProblems bounds the kept standard error of a child, in bytes.
	maxProblems = 16 << 10
)

// Program finds the git program.
func Program() (string, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	return program, nil
}

// Command prepares a run. An online run is refused with a *[Refusal] while a setting of the
// repository names a program. If the settings cannot be listed, that is an error.
func Command(ctx context.Context, c Call) (*exec.Cmd, error) {
	if c.Reach != Outside {
		if err := c.vet(ctx); err != nil {
			return nil, err
		}
	}
	return command(ctx, c)
}

// command prepares a run without checking the settings.
func command(ctx context.Context, c Call) (*exec.Cmd, error) {
	program, err := Program()
	if err != nil {
		return nil, err
	}
	args := options()
	switch {
	case c.Reach == Outside: // git would otherwise use the settings of a repository in a folder above
		args = append(args, "--git-dir="+os.DevNull)
	case c.GitDir != "":
		args = append(args, "--git-dir="+c.GitDir)
	}
	cmd := exec.CommandContext(ctx, program, append(args, c.Args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, append(environment(c.Reach), c.Env...), patience
	return cmd, nil
}

// Output runs git and returns its standard output. The error contains its standard error,
// bounded, which may be text of another machine.
func Output(ctx context.Context, c Call, stdin string) ([]byte, error) {
	cmd, err := Command(ctx, c)
	if err != nil {
		return nil, err
	}
	return output(ctx, cmd, stdin, verb(c.Args))
}

// verb is git's command in arguments that may begin with settings.
func verb(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

func output(ctx context.Context, cmd *exec.Cmd, stdin, what string) ([]byte, error) {
	var out bytes.Buffer
	problems := &head{left: maxProblems}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return out.Bytes(), fmt.Errorf("git %s: %w", what, errors.Join(err, Problems(problems.text.String())))
	}
	return out.Bytes(), nil
}

// head keeps the first bytes written to it.
type head struct {
	text bytes.Buffer
	left int
}

var _ io.Writer = (*head)(nil)

// Write implements io.Writer and never fails.
func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.text.Write(p[:n])
	h.left -= n
	return len(p), nil
}

// Problems returns an error with a program's standard error, bounded; nil if it is empty.
func Problems(s string) error {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	if len(s) > maxProblems {
		s = s[:maxProblems] + "…"
	}
	return errors.New(s)
}
