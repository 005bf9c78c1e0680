package stress_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// place is a workspace with a home, keys and settings of its own.
type place struct {
	root string // holds all of it
	dir  string // the repository that is worked in
	env  []string
	// agents are the agents that may propose.
	agents []string
}

const gitConfig = `[user]
	name = Ada
	email = ada@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	autogc = false
[advice]
	detachedHead = false
`

// newPlace begins a workspace with n agents.
func newPlace(t *testing.T, n int) *place {
	t.Helper()
	root := t.TempDir()
	home := filepath.Join(root, "home")
	must(t, os.MkdirAll(home, 0o700))
	config := filepath.Join(home, ".gitconfig")
	must(t, os.WriteFile(config, []byte(gitConfig), 0o600))
	p := &place{root: root, dir: filepath.Join(root, "ws"), env: append(slices.DeleteFunc(os.Environ(), ours),
		"HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "ASSENT_HOME="+filepath.Join(home, "assent"),
		"GIT_CONFIG_GLOBAL="+config, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "TZ=UTC", "LC_ALL=C")}
	begin := []string{"init", p.dir}
	for i := range n {
		p.agents = append(p.agents, fmt.Sprintf("agent%d", i))
		begin = append(begin, "--agent", p.agents[i])
	}
	p.must(t, command{program: "assent", dir: root, args: begin})
	return p
}

// ours reports whether a variable of the environment would affect the started processes.
func ours(v string) bool {
	return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "ASSENT_") || strings.HasPrefix(v, "SSH_")
}

// command is a process to run.
type command struct {
	program string // assent or git
	args    []string
	dir     string // the place's, where it is empty
	input   string
	// kill is the time from its start at which SIGKILL ends it; 0 is never.
	kill time.Duration
	// family reports that its children are killed with it.
	family bool
}

func assent(args ...string) command { return command{program: "assent", args: args} }
func git(args ...string) command    { return command{program: "git", args: args} }

func (c command) in(dir string) command { c.dir = dir; return c }

// outcome is the result of a process.
type outcome struct {
	command
	exit           int // -1 where a signal ended it
	stdout, stderr string
	took           time.Duration
}

func (o outcome) killed() bool { return o.exit == -1 && o.kill > 0 }

func (o outcome) String() string {
	return fmt.Sprintf("%s %s: exit %d after %s\n%s%s", o.program, strings.Join(o.args, " "), o.exit, o.took.Round(time.Millisecond), o.stdout, o.stderr)
}

// run starts a process and waits until it and all its descendants have ended. They hold the other
// end of a pipe without writing to it, so run also waits for a child that outlives its killed
// parent.
func (p *place) run(ctx context.Context, c command) (outcome, error) {
	if c.dir == "" {
		c.dir = p.dir
	}
	o := outcome{command: c}
	cmd := exec.CommandContext(ctx, c.program, c.args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.dir, p.env, strings.NewReader(c.input), &stdout, &stderr
	alive, held, err := os.Pipe()
	if err != nil {
		return o, err
	}
	defer alive.Close()
	inherit(cmd, held)
	start := time.Now()
	err = cmd.Start()
	held.Close()
	if err != nil {
		return o, fmt.Errorf("start %s: %w", c.program, err)
	}
	if c.kill > 0 {
		timer := time.AfterFunc(c.kill, func() { kill(cmd, c.family) })
		defer timer.Stop()
	}
	err = cmd.Wait()
	o.took, o.exit, o.stdout, o.stderr = time.Since(start), cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return o, fmt.Errorf("run %s %s: %w", c.program, strings.Join(c.args, " "), err)
	}
	_, err = io.Copy(io.Discard, alive)
	return o, errors.Join(err, ctx.Err())
}

// must runs a command that has to succeed and returns its output.
func (p *place) must(t *testing.T, c command) string {
	t.Helper()
	o, err := p.run(t.Context(), c)
	must(t, err)
	if o.exit != 0 {
		t.Fatal(o)
	}
	return o.stdout
}
