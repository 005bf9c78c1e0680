package tool

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
)

// Unadmitted is why nothing of a kind runs, and what would change that.
type Unadmitted struct{ Why, Fix string }

// Admits says why the policies let no code of a kind run; nil where they do. Whatever runs
// the code of a capability, call or test, of what is in force or not, asks here.
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
		return refuse(NotCallable, "assent inspect "+c.Name, "%s is a specification: it has no code yet", c.Name)
	case !c.Callable():
		return refuse(NotCallable, "assent cat "+c.Name+" shows it; it is read, not called", "%s is of kind %s, which does not run", c.Name, c.Kind)
	}
	if err := Admits(may.policies, c.Kind); err != nil {
		return refuse(NotAllowed, err.Fix, "%s", err.Why)
	}
	switch {
	case !c.Status.Runs():
		return refuse(NotActive, "a proposal changes its status", "%s is %s, and only what is active runs", c.Name, c.Status)
	case c.Record.Run.Runtime == capability.MCPHTTP: // before anything is asked for that would not help
		return atAddress(c)
	}
	return may.admitted(c)
}

// admitted asks whether whoever calls is among those whom the capability admits. A trial is
// nobody's call.
func (may permits) admitted(c capability.Capability) error {
	switch {
	case c.Record.Agents.Admits(may.agent), may.agent == "" && may.trial:
		return nil
	case may.agent == "":
		return refuse(NotAllowed, "--agent NAME (or ASSENT_AGENT) says who calls", "%s admits only: %s; and nobody is named", c.Name, strings.Join(c.Record.Agents.Allow, ", "))
	}
	return refuse(NotAllowed, "assent inspect "+c.Name+" shows whom it admits", "%s does not admit the agent %s", c.Name, may.agent)
}

// installed says with a *sandbox.Missing which of the programs that a capability names is not on
// this machine. That it failed without one would tell nothing of the capability.
func installed(c capability.Capability) error {
	for _, name := range c.Record.Requires.Bins {
		if _, err := exec.LookPath(name); err != nil {
			return &sandbox.Missing{Program: name}
		}
	}
	return nil
}

// secrets collects what the capability names.
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

// hosts are those that the capability declares, all of which the policy has to admit.
func (may permits) hosts(c capability.Capability) ([]string, error) {
	for _, h := range c.Record.Requires.Hosts {
		if !may.policies.Security.AdmitsHost(h) {
			return nil, refuse(HostRefused, "security.yaml lists the hosts under sandbox", "%s needs %s, which the policy does not admit", c.Name, h)
		}
	}
	return c.Record.Requires.Hosts, nil
}
