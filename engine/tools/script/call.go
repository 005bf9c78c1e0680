package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// A Call is one script and all that it is given.
type Call struct {
	workflow.Script
	// View is the tree that it sees; InForce is set if it is the tree in force and not a
	// proposed one.
	View    tree.View
	InForce bool
	// Governed leaves out all files outside of the governed folders.
	Governed bool
	// Policies are those in force.
	Policies policy.Policies
	// Env is its environment without secrets, Stdin its standard input.
	Env   map[string]string
	Stdin []byte
	// Event is what EventFile holds.
	Event []byte
	// Given are the artifacts of the jobs that it needs.
	Given []Given
	// Live gets its output while it runs, as ReadLive reads it; nil for no one.
	Live io.Writer
}

// Unable says that this machine cannot run a script now, while another one, or this one later,
// may. Nothing ran.
type Unable struct{ Why string }

func (u *Unable) Error() string { return u.Why }

// Refused says that a script asks for something that it cannot get anywhere. Nothing ran.
type Refused struct{ Why string }

func (r *Refused) Error() string { return r.Why }

// Ready is a call that can be run here.
type Ready struct {
	Call
	runner  sandbox.Runner
	args    []string
	mark    string // before the artifacts in its output; empty without any
	secrets map[string]string
}

// Prepare looks for all that a call needs: a sandbox, its interpreter, hosts that the
// policy admits, and secrets that are set up here. The error is an *Unable, a *Refused, or
// of a world that failed.
func Prepare(ctx context.Context, c Call, box func(context.Context) (sandbox.Runner, error), secret func(string) (string, bool, error)) (Ready, error) {
	r := Ready{Call: c, secrets: map[string]string{}}
	for _, host := range c.Hosts {
		if !c.Policies.Security.AdmitsHost(host) {
			return r, &Refused{fmt.Sprintf("it asks for %s, which the policy does not admit: policies/security.yaml lists the hosts under sandbox", host)}
		}
	}
	// Content that the script reads could make it print them.
	if len(c.Secrets) > 0 && !c.InForce {
		return r, &Refused{"it asks for secrets while it reads content that is not approved"}
	}
	if err := r.isolated(ctx, box); err != nil {
		return r, err
	}
	for _, name := range c.Secrets {
		value, there, err := "", false, error(nil)
		if secret != nil {
			value, there, err = secret(name)
		}
		var untrusted *keys.Untrusted
		if errors.As(err, &untrusted) {
			return r, &Unable{untrusted.Error() + ": assent trust " + names.ShellWord(untrusted.Workspace)}
		}
		if err != nil {
			return r, fmt.Errorf("read the secret %s: %w", name, err)
		}
		if !there {
			return r, &Unable{fmt.Sprintf("it needs the secret %s, which is not set up here", name)}
		}
		r.secrets[name] = value
	}
	return r, nil
}

// isolated finds the interpreter and a sandbox that protects.
func (r *Ready) isolated(ctx context.Context, box func(context.Context) (sandbox.Runner, error)) error {
	rt, known := runtime.Named(r.Runtime)
	if !known {
		return &Refused{fmt.Sprintf("there is no runtime %q", r.Runtime)}
	}
	if box == nil {
		return &Unable{"this process runs no scripts"}
	}
	var no *sandbox.Refusal
	runner, err := box(ctx)
	switch {
	case errors.As(err, &no):
		return &Unable{no.Error()}
	case err != nil:
		return fmt.Errorf("look for a sandbox: %w", err)
	case !runner.Protects():
		return &Unable{"nothing runs without a sandbox, whatever security.yaml says of isolation"}
	}
	if _, err := exec.LookPath(rt.Program); err != nil {
		return &Unable{(&sandbox.Missing{Program: rt.Program}).Error()}
	}
	r.runner = runner
	if r.args = append(append([]string{rt.Program}, flags(rt)...), r.Text); len(r.Artifacts) == 0 {
		return nil
	}
	for _, program := range bundling() {
		if _, err := exec.LookPath(program); err != nil {
			return &Unable{(&sandbox.Missing{Program: program}).Error()}
		}
	}
	r.args, r.mark = bundled(r.args)
	return nil
}

// flags have an interpreter run the next argument.
func flags(rt runtime.Runtime) []string {
	text := map[string][]string{"bash": {"-euo", "pipefail", "-c"}, "python": {"-c"}, "node": {"-e"}}[rt.Name]
	return append(append([]string{}, rt.Flags...), text...)
}

// Lines joins words for the standard input of a script.
func Lines(words []string) []byte {
	if len(words) == 0 {
		return nil
	}
	return []byte(strings.Join(words, "\n") + "\n")
}
