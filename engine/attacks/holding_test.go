package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func holdingDefences() map[string]defence {
	return map[string]defence{
		"runs-hold-what-they-make": {attack: "TestAttackHoldingRuns/under other ids"},
	}
}

// TestAttackHoldingRuns: anyone who can push can write journals of runs that name a proposal. A pass merges the
// proposal all the same, unless one of these runs made it.
func TestAttackHoldingRuns(t *testing.T) {
	base := newWorld(t)
	older := base.main().String()
	base.merged(file("workflows/look.yaml", "name: look\non: {command: look}\njobs: {look: {approve: human, timeout: 3d}}\n"))
	p := base.proposed("kublai", skill("granny"))
	base.approved(p.ID, "ada", "bob")
	forged := func(d *world, id string, start run.Start) {
		start.Inputs = map[string]string{"goal": "x", "capability": "granny", "unusable": "x"}
		_, _, err := d.Runs.Begin(d.Context(), id, "mallory", d.tick(), start)
		d.ok(err)
		job := map[string]string{"look": "look", "acquire": "research", "mend": "repair"}[start.Workflow]
		d.appended(id, run.Record{Kind: run.Asked, Job: job, Attempt: 1, Role: "human", Approve: start.Workflow == "look", Proposal: p.ID})
	}
	passes := func(d *world, what string) {
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		pull, err := d.Forge.Get(d.Context(), p.ID)
		d.ok(err)
		if pull.State != forge.Merged {
			d.succeeds("%s: the proposal waits", what)
		}
	}
	t.Run("under other ids", func(t *testing.T) {
		d, n := base.clone(t), 0
		for _, flow := range []string{"look", "acquire", "mend"} {
			for _, about := range []string{"", p.ID, "other-00000000"} {
				for _, event := range []string{workflow.Command, workflow.Gap, workflow.ProposalOpened, workflow.ProposalApproved} {
					for _, commit := range []string{d.main().String(), older, strings.Repeat("1", len(older))} {
						forged(d, fmt.Sprintf("hold-%08d", n), run.Start{Workflow: flow, Event: event, Commit: commit, About: about})
						n++
					}
				}
			}
		}
		if n < 100 {
			d.Errorf("only %d variants", n)
		}
		passes(d, "other ids")
	})
	for _, commit := range []string{base.main().String(), strings.Repeat("1", len(older))} {
		t.Run("under its id, of "+commit[:4], func(t *testing.T) {
			d := base.clone(t)
			forged(d, p.ID, run.Start{Workflow: "look", Event: workflow.Command, Commit: commit})
			passes(d, "its id")
		})
	}
}
