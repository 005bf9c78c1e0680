package tool

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
)

// Unadmitted says why no code of a kind runs, and what would change that.
type Unadmitted struct{ Why, Fix string }

// Admits returns why the policies let no code of a kind run, or nil if they do. Every caller that
// runs code of a capability, for a call or a test, in force or not, checks it here.
func Admits(p policy.Policies, k capability.Kind) *Unadmitted {
	if p.Autonomy.AdmitsCode(string(k)) {
		return nil
	}
	return &Unadmitted{fmt.Sprintf("the policy lets no capability of kind %s run", k), "autonomy.yaml lists the kinds under executables"}
}

// mayRun says why a capability in force must not run for an agent; nil when it may.
// Where agents are named that may call, a caller that names none may not.
func (may permits) mayRun(c capability.Capability) error {
	switch {
	case !c.Callable() && (c.Kind == capability.KindTool || c.Kind == capability.KindMCP):
		return refuse(NotCallable, "assent inspect "+names.ShellWord(c.Name), "%s is a specification: it has no code yet", c.Name)
	case !c.Callable():
		return refuse(NotCallable, "assent cat "+names.ShellWord(c.Name)+" shows it; it is read, not called", "%s is of kind %s, which does not run", c.Name, c.Kind)
	}
	if err := Admits(may.policies, c.Kind); err != nil {
		return refuse(NotAllowed, err.Fix, "%s", err.Why)
	}
	switch {
	case !c.Status.Runs():
		return refuse(NotActive, "a proposal changes its status", "%s is %s, and only what is active runs", c.Name, c.Status)
	}
	return may.admitted(c)
}

// admitted checks that the capability admits the caller. A trial has no caller to
// check.
func (may permits) admitted(c capability.Capability) error {
	switch {
	case c.Record.Agents.Admits(may.agent), may.agent == "" && may.trial:
		return nil
	case may.agent == "":
		return refuse(NotAllowed, "name the caller: --agent NAME (or ASSENT_AGENT)", "%s admits only: %s; and no agent is named", c.Name, strings.Join(c.Record.Agents.Allow, ", "))
	}
	return refuse(NotAllowed, "assent inspect "+names.ShellWord(c.Name)+" lists the agents that it admits", "%s does not admit the agent %s", c.Name, may.agent)
}

// installed returns a *sandbox.Missing for a program that a capability names and this machine
// lacks. A failure without that program would show nothing about the capability.
func installed(c capability.Capability) error {
	for _, name := range c.Record.Requires.Bins {
		if _, err := exec.LookPath(name); err != nil {
			return &sandbox.Missing{Program: name}
		}
	}
	return nil
}

// secrets collects those that the capability names.
func (may permits) secrets(c capability.Capability) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range c.Record.Requires.Secrets {
		value, ok, err := may.secret(name)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, refuse(MissingSecret, may.secretHint(name), "%s needs the secret %s, which is not set up here", c.Name, name)
		}
		out[name] = value
	}
	return out, nil
}

// hosts returns those that the capability declares; the policy has to admit all of them.
func (may permits) hosts(c capability.Capability) ([]string, error) {
	for _, h := range c.Record.Requires.Hosts {
		if !may.policies.Security.AdmitsHost(h) {
			return nil, refuse(HostRefused, "security.yaml lists the hosts under sandbox", "%s needs %s, which the policy does not admit", c.Name, h)
		}
	}
	return c.Record.Requires.Hosts, nil
}
