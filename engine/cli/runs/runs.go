package runs

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// runsOptions are the flags of listing runs.
type runsOptions struct {
	all                           bool
	workflow, event, state, about string
	limit                         int
}

// runStates are the values of --state.
func runStates() []string {
	return []string{"active", string(run.Completed), string(run.Broke), string(run.Cancelled)}
}

func newRuns(c *console.Console) *cobra.Command {
	var o runsOptions
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of workflows, and what each waits for",
		Long: `Runs lists the active runs, newest first: when each began, how long it took, its
workflow, event, requester and state. --all and --state show those that ended too.`,
		Example: `  assent runs --state failed --workflow checks --limit 5`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runRuns(cmd.Context(), c, o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "also those that have ended")
	f.StringVar(&o.workflow, "workflow", "", "only those of the workflow `NAME`")
	f.StringVar(&o.event, "event", "", "only those that `EVENT` started")
	f.StringVar(&o.state, "state", "", "only those in `STATE`: active, completed, failed or cancelled")
	f.StringVar(&o.about, "about", "", "only those with the proposal `ID`; its beginning is enough")
	f.IntVar(&o.limit, "limit", 0, "at most `N`; 0 is all")
	complete.Flag(cmd, "event", complete.Fixed(workflow.Events()))
	complete.Flag(cmd, "state", complete.Fixed(runStates()))
	return cmd
}

// admits reports whether a run passes the filters.
func (o runsOptions) admits(s run.State) bool {
	state := string(s.Outcome)
	if state == "" {
		state = "active"
	}
	for _, f := range [][2]string{{o.workflow, s.Workflow}, {o.event, s.Event}, {o.state, state}, {o.about, s.Proposal}} {
		if f[0] != "" && f[0] != f[1] {
			return false
		}
	}
	return true
}

func runRuns(ctx context.Context, c *console.Console, o runsOptions) error {
	for _, f := range []struct {
		flag, given string
		known       []string
	}{{"event", o.event, workflow.Events()}, {"state", o.state, runStates()}} {
		if f.given != "" && !slices.Contains(f.known, f.given) {
			return console.Usage("--%s %q: it is one of %s", f.flag, console.OneLine(f.given), strings.Join(f.known, ", "))
		}
	}
	if o.limit < 0 {
		return console.Usage("--limit %d: want a number of runs, 0 for all", o.limit)
	}
	cur, err := c.Consulted(ctx)
	if err != nil {
		return err
	}
	if o.about != "" {
		pull, err := propose.Resolve(ctx, cur.Workspace, o.about)
		if o.about = pull.ID; err != nil {
			return err
		}
	}
	list := cur.Runs.Active
	if o.all || o.state != "" && o.state != "active" {
		list = cur.Runs.All
	}
	states, damaged, err := list()
	if err != nil {
		return err
	}
	for _, d := range damaged {
		c.Complain("%s left out: %s", c.Style.Warn("warning:"), console.OneLine(d.Error()))
	}
	states = slices.DeleteFunc(states, func(s run.State) bool { return !o.admits(s) })
	if len(states) == 0 && o.workflow != "" {
		if err := knownWorkflow(cur, o.workflow); err != nil {
			return err
		}
	}
	order.Stable(states, func(a, b run.State) int { return b.Began.Compare(a.Began) })
	if o.limit > 0 {
		states = states[:min(o.limit, len(states))]
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return err
	}
	out := []listJSON{}
	over, err := reconcile.PassedOver(cur, states...)
	if err != nil {
		return err
	}
	for _, s := range states {
		v, err := fullView(ctx, cur, defs, s)
		if err != nil {
			return err
		}
		v.PassedOver = over[s.ID]
		out = append(out, listJSON{v, runMS(s, cur.Now())})
	}
	if c.JSON {
		return c.Emit(out)
	}
	if len(states) == 0 {
		if !o.all && o.state == "" {
			c.Printf("no active runs; --all also lists ended ones\n")
			return nil
		}
		c.Printf("no runs; assent run start NAME or assent gap begins one\n")
		return nil
	}
	var rows [][]string
	for _, s := range out {
		rows = append(rows, []string{
			c.Style.Bold(console.OneLine(s.ID)), c.Style.Dim(console.Ago(cur.Now(), s.Began)), output.Lasted(s.MS), console.OneLine(s.Workflow),
			console.OneLine(s.Event), console.OneLine(s.For), runStatus(s.workJSON, cur.Now()),
		})
	}
	c.Table(rows)
	return nil
}

// knownWorkflow refuses a name that no workflow in force has, and no run.
func knownWorkflow(cur workspace.Session, name string) error {
	inForce, err := task.Workflows(cur)
	if err != nil {
		return err
	}
	var known []string
	for _, f := range inForce {
		known = append(known, f.Name)
	}
	broken, err := task.Broken(cur, name)
	if err != nil || len(broken) > 0 || slices.Contains(known, name) {
		return err
	}
	ran, _, err := cur.Runs.All()
	if err != nil || slices.ContainsFunc(ran, func(s run.State) bool { return s.Workflow == name }) {
		return err
	}
	return &console.Failure{
		Code: console.ExitUsage, Err: console.Unknown("workflow", console.OneLine(name), "in force, and none of that name ran"),
		Hint: "those in force are " + strings.Join(known, ", "),
	}
}

// listJSON is a run in the JSON list.
type listJSON struct {
	workJSON
	// MS is how long it took so far, in milliseconds.
	MS int64 `json:"ms"`
}
