package workspace

import (
	"fmt"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/gate"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// requiredChecks adds what results of required checks are compared with: the merge result, and
// the workflows in force.
func requiredChecks(s Session, result Result, c *gate.Case) (err error) {
	if len(s.Policies.Approvals.Checks) == 0 {
		return nil
	}
	c.Checks = &gate.Checks{Base: s.InForce, Result: result.Tree}
	c.Checks.Workflows, _, err = workflow.Load(s.View, Schedule)
	return err
}

// RunnerKey returns the key that signs results of scripts in a session; nil for none.
func RunnerKey(s Session) ssh.Signer {
	if s.Runner == nil {
		return nil
	}
	return s.Runner(s)
}

// running adds the runs about an open proposal that go on, if checks are required. Any pusher can
// write the journal of a run, so they only say what a proposal waits for.
func (o *openProposals) running(s Session, c gate.Case) error {
	if c.Checks == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.runs == nil {
		active, _, err := s.Runs.Active()
		if err != nil {
			return fmt.Errorf("read the runs of checks: %w", err)
		}
		o.runs = append([]run.State{}, active...)
	}
	c.Checks.Running = map[string]string{}
	for _, r := range o.runs {
		if r.About == c.Pull.ID {
			c.Checks.Running[r.Workflow] = r.ID
		}
	}
	return nil
}
