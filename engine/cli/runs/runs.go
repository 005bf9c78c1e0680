package runs

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/tools/answers"
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

// workJSON is a run as machines get it.
type workJSON struct {
	run.State
	// Waits are the jobs that wait, with the role they wait for.
	Waits []waitJSON `json:"waits"`
	// HeldBy is the run of its concurrency group for which it waits, ReplacedBy the newer one that ends it.
	// HolderEnds says why the next pass ends the run that it waits for.
	HeldBy     string `json:"held_by,omitempty"`
	HolderEnds string `json:"holder_ends,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	// Stalled are its scripts that count as running, although no process runs them.
	Stalled []stalledJSON `json:"stalled,omitempty"`
	// Vacancies are its tasks that no one can take.
	Vacancies []task.Vacancy `json:"vacancies,omitempty"`
	// Superseded is set if another version of its workflow is in force now, which an active run does not follow, or none.
	Superseded bool `json:"superseded,omitempty"`
	// Fails says which job has failed, so that the run will end as failed.
	Fails string `json:"fails,omitempty"`
	// Ends says why the next pass ends it, whatever its jobs wait for.
	Ends string `json:"ends,omitempty"`
	// Overridden are decisions that people took here about it, and that do not count because another clone pushed first.
	Overridden []output.OverriddenDecision `json:"lost,omitempty"`
	// PassedOver says why it does not count as the run of a schedule, although it has the id of one.
	PassedOver string `json:"passed_over,omitempty"`
	// Elsewhere says that its proposal lacks nothing but a merge where another key is.
	Elsewhere string `json:"merges_elsewhere,omitempty"`
	// Rejected is the rejection of an earlier proposal for the gap that began it.
	Rejected *answers.Answer `json:"rejected,omitempty"`
	// Estimate is of what it costs to close the gap that began it, and what that saves.
	Estimate *answers.Estimate `json:"estimate,omitempty"`
	// Shared reports that the remote has what the command recorded; Unasked says why it does not, if it should.
	Shared  bool   `json:"shared,omitempty"`
	Unasked string `json:"unasked,omitempty"`
	turn    task.Turn
	merges  bool // all that its merge needs is there
}

type stalledJSON struct {
	Job string `json:"job"`
	Why string `json:"why"`
}

func (s stalledJSON) String() string {
	return "no process runs " + s.Job + ": " + s.Why + "; assent reconcile goes on with it"
}

// stalled are the scripts of a run that no process runs.
func stalled(cur workspace.Session, s run.State) (out []stalledJSON) {
	for _, name := range sorted(s.Jobs) {
		if why := task.Stalled(cur.Workspace, s.Jobs[name]); why != "" && s.Outcome == "" {
			out = append(out, stalledJSON{name, why})
		}
	}
	return out
}

type waitJSON struct {
	Job      string    `json:"job"`
	Role     string    `json:"role"`
	Approve  bool      `json:"approve"`
	Attempt  int       `json:"attempt"`
	Since    time.Time `json:"since"`
	Claimant string    `json:"claimant"`
	Until    time.Time `json:"until,omitzero"`
	// Due is when the job, or its run, fails because no one has done it.
	Due time.Time `json:"due,omitzero"`
	// Expired says that no one approved it in time, which the next pass records.
	Expired string `json:"expired,omitempty"`
}

func runView(s run.State, now time.Time) workJSON {
	v := workJSON{State: s, Waits: []waitJSON{}}
	v.Jobs = maps.Clone(s.Jobs)
	for _, name := range sorted(s.Jobs) {
		j := s.Jobs[name]
		j.By = j.Doer()
		v.Jobs[name] = j
		if j.Status != run.Waiting || s.Outcome != "" {
			continue
		}
		w := waitJSON{Job: name, Role: j.Role, Approve: j.Approve, Attempt: j.Attempt, Since: j.Asked}
		if j.Held(now) {
			w.Claimant, w.Until = j.Claimant, j.Until
		}
		v.Waits = append(v.Waits, w)
	}
	return v
}

// fullView is runView with what the run waits for beside its jobs.
func fullView(ctx context.Context, cur workspace.Session, defs *task.Definitions, s run.State) (v workJSON, err error) {
	v = runView(s, cur.Now())
	if s.Outcome == "" {
		flow, _ := defs.Recorded(s)
		v.Stalled = stalled(cur, s)
		v.Vacancies, v.Fails = task.Vacancies(cur.Policies.Roles, flow, s), run.Fails(flow, s)
		for i, wait := range v.Waits {
			if j, known := flow.Job(wait.Job); known {
				v.Waits[i].Expired, v.Waits[i].Due = run.Expired(j, s.Jobs[wait.Job], cur.Now()), run.Due(flow, s, j)
			}
		}
		if v.Superseded = defs.Superseded(s); v.Superseded {
			def, err := defs.Of(ctx, s)
			if v.Ends = def.Ends; err != nil {
				return v, err
			}
		}
		v.Ends = cmp.Or(v.Ends, defs.EndsNext(flow, s))
		v.merges = slices.ContainsFunc(flow.Jobs, func(j workflow.Job) bool { return j.Uses == workflow.Merge && s.Ripe(j) })
		v.turn, err = defs.TurnOf(ctx, s)
		v.HeldBy, v.HolderEnds, v.ReplacedBy = v.turn.Holder, v.turn.Ends, v.turn.Replaced
	}
	return v, err
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

// runStatus says in plain words where a run is.
func runStatus(s workJSON, now time.Time) string {
	if s.PassedOver != "" {
		return "passed over: " + console.OneLine(s.PassedOver)
	}
	if s.Outcome != "" {
		out := string(s.Outcome)
		if s.Reason != "" {
			out += ": " + console.OneLine(s.Reason)
		}
		return out
	}
	if s.Ends != "" {
		return console.OneLine(s.Ends) + "; assent reconcile ends the run"
	}
	if waits := s.turn.String(); waits != "" {
		return console.OneLine(waits)
	}
	out := ""
	for _, wait := range s.Waits {
		if out != "" {
			out += ", "
		}
		out += console.OneLine(wait.Job)
		v, vacant := task.VacancyOf(s.Vacancies, wait.Job)
		switch {
		case wait.Expired != "":
			out += " has " + wait.Expired
		case wait.Claimant != "":
			out += " is with " + console.OneLine(wait.Claimant)
		case vacant:
			out += " waits for " + wait.Role + ", but " + console.OneLine(v.String())
		default:
			out += " waits for " + wait.Role
		}
	}
	if out == "" {
		out = "assent reconcile goes on with it"
		if s.merges && s.Proposal != "" {
			out = "waits for its proposal: assent why " + names.ShellWord(console.OneLine(s.Proposal))
		}
		for _, name := range sorted(s.Jobs) {
			if j := s.Jobs[name]; j.Status == run.Running && now.Before(j.Until) {
				out = console.OneLine(name) + " runs"
			}
		}
		for _, s := range s.Stalled {
			out = console.OneLine(s.String())
		}
	}
	return out
}

// printSteps shows a person the steps that a run took.
func printSteps(c *console.Console, roles policy.Roles, out task.Advanced) {
	switch {
	case c.JSON:
	case out.Outcome != "":
		c.Printf("the run %s %s%s\n", c.Style.Bold(console.OneLine(out.ID)), out.Outcome.Phrase(), after(out.Reason))
		if out.Outcome == run.Broke {
			c.Field("next", "assent run show "+names.ShellWord(out.ID))
		}
	default:
		if out.Waits != "" {
			c.Field("waits", console.OneLine(out.Waits))
			if out.Proposal != "" {
				c.Field("next", "assent why "+names.ShellWord(console.OneLine(out.Proposal)))
			}
		}
		vacancies, waits := task.Vacancies(roles, out.Flow, out.State), runView(out.State, time.Time{}).Waits
		if out.Waits == "" && len(waits)+len(vacancies) == 0 {
			c.Field("next", "assent run show "+names.ShellWord(out.ID)+" --watch")
		}
		for _, wait := range waits {
			next := "assent task next --agent " + names.ShellWord(roles.Named(wait.Role, takers(roles, out, wait, c.World.Now())))
			if v, vacant := task.VacancyOf(vacancies, wait.Job); vacant {
				next = v.String()
			}
			if wait.Approve {
				next = "assent run approve " + names.ShellWord(out.ID) + " " + names.ShellWord(wait.Job)
			}
			c.Field("next", console.OneLine(wait.Job+" waits for "+wait.Role+": "+next))
		}
		for _, v := range vacancies {
			if out.Jobs[v.Job].Status == "" {
				c.Field("lacks", console.OneLine(v.String()))
			}
		}
	}
	output.PrintCheckout(c, out.Worktree, nil)
}

// takers are those who may take a waiting task.
func takers(roles policy.Roles, out task.Advanced, wait waitJSON, now time.Time) []string {
	j, _ := out.Flow.Job(wait.Job)
	return task.Takers(roles, task.Task{Run: out.State, Flow: out.Flow, Job: j}, now)
}

func after(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + console.OneLine(reason)
}
