package runs

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newRuns(c *console.Console) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of workflows that go on, and what each waits for",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runRuns(cmd.Context(), c, all) },
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that have ended")
	return cmd
}

// workJSON is a run as machines get it.
type workJSON struct {
	run.State
	// Waits are the jobs that wait, with the role they wait for.
	Waits []waitJSON `json:"waits"`
}

type waitJSON struct {
	Job      string    `json:"job"`
	Role     string    `json:"role"`
	Attempt  int       `json:"attempt"`
	Since    time.Time `json:"since"`
	Claimant string    `json:"claimant"`
	Until    time.Time `json:"until,omitzero"`
}

func runView(s run.State, now time.Time) workJSON {
	v := workJSON{State: s, Waits: []waitJSON{}}
	for _, name := range sorted(s.Jobs) {
		j := s.Jobs[name]
		if j.Status != run.Waiting || s.Outcome != "" {
			continue
		}
		w := waitJSON{Job: name, Role: j.Role, Attempt: j.Attempt, Since: j.Asked}
		if j.Held(now) {
			w.Claimant, w.Until = j.Claimant, j.Until
		}
		v.Waits = append(v.Waits, w)
	}
	return v
}

func runRuns(ctx context.Context, c *console.Console, all bool) error {
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	list := cur.Runs.Active
	if all {
		list = cur.Runs.All
	}
	states, damaged, err := list()
	if err != nil {
		return err
	}
	for _, d := range damaged {
		c.Complain("%s left out: %s", c.Style.Warn("warning:"), console.OneLine(d.Error()))
	}
	if c.JSON {
		out := []workJSON{}
		for _, s := range states {
			out = append(out, runView(s, cur.Now()))
		}
		return c.Emit(out)
	}
	if len(states) == 0 {
		c.Printf("no runs; assent run start NAME or assent gap begins one\n")
		return nil
	}
	var rows [][]string
	for _, s := range states {
		rows = append(rows, []string{c.Style.Bold(console.OneLine(s.ID)), console.OneLine(s.Workflow), console.OneLine(s.For), runStatus(s, cur.Now())})
	}
	c.Table(rows)
	return nil
}

// runStatus says in plain words where a run is.
func runStatus(s run.State, now time.Time) string {
	if s.Outcome != "" {
		out := string(s.Outcome)
		if s.Reason != "" {
			out += ": " + console.OneLine(s.Reason)
		}
		return out
	}
	out := ""
	for _, wait := range runView(s, now).Waits {
		if out != "" {
			out += ", "
		}
		out += console.OneLine(wait.Job) + " waits for " + wait.Role
		if wait.Claimant != "" {
			out = out[:len(out)-len(" waits for "+wait.Role)] + " is with " + console.OneLine(wait.Claimant)
		}
	}
	if out == "" {
		out = "assent reconcile goes on with it"
		if s.Proposal != "" {
			out = "waits for its proposal: assent why " + console.OneLine(s.Proposal)
		}
		for _, name := range sorted(s.Jobs) {
			if j := s.Jobs[name]; j.Status == run.Running && now.Before(j.Until) {
				out = console.OneLine(name) + " runs"
			}
		}
	}
	return out
}

// flowOf is the workflow of a run as it is in force; without one it has no jobs.
func flowOf(all []workflow.Workflow, s run.State) workflow.Workflow {
	for _, f := range all {
		if f.Name == s.Workflow {
			return f
		}
	}
	return workflow.Workflow{}
}

// printSteps shows a person the steps that a run took.
func printSteps(c *console.Console, roles policy.Roles, out task.Advanced) {
	switch {
	case c.JSON:
	case out.Outcome != "":
		c.Printf("the run %s %s%s\n", c.Style.Bold(console.OneLine(out.ID)), out.Outcome.Phrase(), after(out.Reason))
	default:
		if out.Waits != "" {
			c.Field("waits", console.OneLine(out.Waits))
		}
		for _, wait := range runView(out.State, time.Time{}).Waits {
			next := "assent task next --agent " + roles.TakersOf(wait.Role)
			if len(roles.Members(wait.Role)) == 0 {
				next = "no one has that role; assent roles add NAME --role " + wait.Role
			}
			c.Field("next", console.OneLine(wait.Job+" waits for "+wait.Role+": "+next))
		}
	}
	output.PrintCheckout(c, out.Worktree, nil)
}

func after(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + console.OneLine(reason)
}
