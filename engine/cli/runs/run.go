package runs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func newRun(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "run", Short: "Start, show, approve, repeat or cancel one run of a workflow"}
	cmd.AddCommand(newRunStart(c), newRunShow(c), newRunLogs(c), newRunApprove(c), newRunArtifacts(c), newRunDownload(c), newRunRetry(c), newRunCancel(c))
	return cmd
}

// startOptions are the flags of starting a run.
type startOptions struct {
	name, agent string
	inputs      []string
	dryRun      bool
}

func newRunStart(c *console.Console) *cobra.Command {
	var o startOptions
	cmd := &cobra.Command{
		Use:   "start NAME",
		Short: "Start a run of a workflow in force",
		Long: `Start begins a run of the workflow whose command is NAME and asks the roles of
its first jobs. There is one run of a workflow about one capability at a time: starting
it again ends with 3 and names the active one.

It follows the run, also while a daemon runs its scripts, until that has ended or waits
for a person, an agent or an approval, and ends with 1 if the run failed. While another
run of its concurrency group goes on, it does not begin: that ends with 3, and the next
pass begins it when that one has ended.

With a remote, the run begins there and here together, as a merge does, and each script
begins there first. If the remote cannot be reached, or with --local, the run stays in this
clone until assent push.`,
		Example: `  assent run start acquire --agent scout --input capability=voice-call --input goal="learn to call phones"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runRunStart(cmd.Context(), c, o)
		},
	}
	console.InputFlag(cmd, &o.inputs)
	beginFlags(cmd, c, &o.agent, &o.dryRun)
	return cmd
}

// beginFlags adds the flags of commands that start a run.
func beginFlags(cmd *cobra.Command, c *console.Console, agent *string, dryRun *bool) {
	localFlag(cmd, c)
	complete.AgentFlag(cmd, c, agent)
	cmd.Flags().BoolVar(dryRun, "dry-run", false, "say whether it could be started, but start nothing")
}

func runRunStart(ctx context.Context, c *console.Console, o startOptions) error {
	cur, all, err := startable(ctx, c, o.dryRun)
	if err != nil {
		return err
	}
	var words []string
	for _, f := range all {
		if f.Direct() || f.On.Command == "" {
			continue
		}
		words = append(words, f.On.Command)
		if f.On.Command == o.name {
			inputs, err := console.Inputs(o.inputs)
			if err != nil {
				return err
			}
			return beginRun(ctx, c, cur, task.Beginning{Workflow: f, Event: workflow.Command, Inputs: inputs, DryRun: o.dryRun}, o.agent)
		}
	}
	if ds, err := task.Broken(cur, o.name); err != nil || ds.HasErrors() {
		return errors.Join(err, console.Findings("the workflow "+o.name+" in force cannot be used", ds))
	}
	hint := "no workflow in force is started by hand"
	if len(words) > 0 {
		hint = "assent run start takes one of " + strings.Join(words, ", ")
	}
	return &console.Failure{Code: console.ExitUsage, Err: console.Unknown("workflow", o.name, "to start by hand"), Hint: hint}
}

// startable opens the workspace for a run that begins, with the workflows in force.
func startable(ctx context.Context, c *console.Console, dryRun bool) (cur workspace.Session, all []workflow.Workflow, err error) {
	if cur, err = joined(ctx, c, dryRun); err == nil {
		all, err = task.Workflows(cur)
	}
	return cur, all, err
}

// beginRun starts a run and takes the steps that are due.
func beginRun(ctx context.Context, c *console.Console, cur workspace.Session, b task.Beginning, agent string, with ...func(*workJSON)) error {
	by, err := console.Proposer(cur, agent, b.DryRun)
	if err != nil {
		return err
	}
	if b.By = by.By.Name; b.For == "" || agent != "" { // who repeats a run for another is not its requester
		b.For = b.By
	}
	s, diags, err := task.Start(ctx, cur, b)
	var open *task.Open
	var full *task.Full
	switch {
	case errors.As(err, &open):
		return console.Refused("assent run show "+names.ShellWord(open.ID), "%s", err)
	case errors.As(err, &full):
		return console.Refused("end one: assent run cancel "+names.ShellWord(full.Oldest), "%s", err)
	case errors.Is(err, task.ErrOff):
		return console.Refused("specify what is missing, for people to decide: assent propose --limitation TEXT --missing "+names.ShellWord(b.Inputs["capability"]), "nothing was started: %s", err)
	case err != nil:
		return err
	case diags.HasErrors() && b.Of != "": // the inputs are those of the run that it repeats
		return console.Findings("the run was not started", diags)
	case diags.HasErrors():
		return console.UsageFindings("the run was not started", diags)
	case b.DryRun:
		if c.JSON {
			v := runView(s, cur.Now())
			for _, add := range with {
				add(&v)
			}
			return c.Emit(v)
		}
		c.Printf("would start %s of %s\n", c.Style.Bold(console.OneLine(s.ID)), console.OneLine(s.Workflow))
		return nil
	}
	out, err := printAdvanced(ctx, c, cur, s.ID, "started", func() (task.Advanced, error) {
		return task.Follow(ctx, cur.Workspace, s.ID, pause(ctx, c, cur))
	}, with...)
	if err == nil {
		err = endedBadly(out.State)
	}
	if err != nil {
		return err
	}
	return held(ctx, c, cur, out.State)
}

// held returns exit code 3 for a run that has not begun because another run of its group goes on: a script that
// started it must not take it for done.
func held(ctx context.Context, c *console.Console, cur workspace.Session, s run.State) error {
	if s.Outcome != "" || s.Group == "" {
		return nil
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return err
	}
	turn, err := defs.TurnOf(ctx, s)
	if err != nil || turn.Holder == "" {
		return err
	}
	next := "assent run show " + names.ShellWord(turn.Holder) + " says what that run waits for; once it can end, assent reconcile begins this one"
	if turn.Ends != "" {
		next = "assent reconcile ends " + names.ShellWord(turn.Holder) + " (" + console.OneLine(turn.Ends) + "), and begins this one"
	}
	if !c.JSON {
		c.Field("next", next)
	}
	return console.Quiet(console.ExitRefused)
}

// pause waits for the next look at a run that other processes advance.
func pause(ctx context.Context, c *console.Console, cur workspace.Session) func() error {
	look := 0
	return func() error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
		if look++; look%looksThere == 0 {
			if err := cur.Forge.Refresh(ctx); err != nil {
				c.Offline(err)
				return err
			}
		}
		return nil
	}
}

// printAdvanced takes the due steps of a run, and shows it.
func printAdvanced(ctx context.Context, c *console.Console, cur workspace.Session, id, what string, advance func() (task.Advanced, error), with ...func(*workJSON)) (task.Advanced, error) {
	if !c.JSON {
		c.Printf("%s %s\n", what, c.Style.Bold(console.OneLine(id)))
	}
	out, err := advance()
	if err != nil {
		return out, err
	}
	if c.JSON {
		defs, err := task.DefinitionsOf(cur)
		if err != nil {
			return out, err
		}
		v, err := fullView(ctx, cur, defs, out.State)
		if err != nil {
			return out, err
		}
		v = v.placed(c, cur)
		for _, add := range with {
			add(&v)
		}
		return out, c.Emit(v)
	}
	printSteps(c, cur.Policies.Roles, out)
	printWhere(c, cur, false)
	return out, nil
}

func newRunCancel(c *console.Console) *cobra.Command {
	var reason, agent string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "End a run before it is done",
		Long: `Cancel ends a run. The requester may, and every human in
policies/roles.yaml. Its proposal stays as it is: assent withdraw ends that. With a
remote, the run ends there and here together; --local ends it here only, until assent push.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRunCancel(cmd.Context(), c, args[0], agent, reason, dryRun)
		},
	}
	cmd.Flags().StringVarP(&reason, "reason", "m", "", "why, for the record")
	complete.AgentFlag(cmd, c, &agent)
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say where the run is, but end nothing")
	return cmd
}

func runRunCancel(ctx context.Context, c *console.Console, id, agent, reason string, dryRun bool) error {
	cur, err := joined(ctx, c, dryRun)
	if err != nil {
		return err
	}
	if id, err = cur.Runs.Resolve(bare(id), false); err != nil {
		return ofTask(err, "")
	}
	var s run.State
	if dryRun {
		s, err = cur.Runs.Read(id)
	} else {
		s, err = task.Cancel(ctx, cur, id, console.Who(c, cur, agent).Name, reason)
	}
	if err != nil {
		return ofTask(err, id)
	}
	v := runView(s, cur.Now()).placed(c, cur)
	if c.JSON {
		return c.Emit(v)
	}
	c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(s.ID)), runStatus(v, cur.Now()))
	printWhere(c, cur, dryRun)
	for _, j := range s.Jobs {
		if j.Status == run.Running && slices.ContainsFunc(cur.Policies.Approvals.Checks, func(k policy.Check) bool { return k.Workflow == s.Workflow }) {
			c.Field("note", "a script of a required check that runs in another clone goes on, as its result counts: assent withdraw or assent update ends it")
			break
		}
	}
	return printFreed(ctx, c, cur, s)
}

// printFreed names the run that begins now that another one of its group has ended.
func printFreed(ctx context.Context, c *console.Console, cur workspace.Session, ended run.State) error {
	if ended.Group == "" || ended.Outcome == "" {
		return nil
	}
	defs, err := task.DefinitionsOf(cur)
	if err != nil {
		return err
	}
	all, _, err := cur.Runs.Active()
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Group != ended.Group || len(s.Jobs) > 0 {
			continue
		}
		turn, err := defs.TurnOf(ctx, s)
		if err != nil {
			return err
		}
		if turn == (task.Turn{}) {
			c.Field("next", "assent reconcile: it begins "+names.ShellWord(s.ID)+", which waited for the group "+console.OneLine(s.Group))
		}
	}
	return nil
}

// bare returns the name of a run without the prefix that reports of passes write before it.
func bare(name string) string { return strings.TrimPrefix(name, "run/") }

// ofTask gives an error about a run, or one of its tasks, its exit code; id is empty if it is not known.
func ofTask(err error, id string) error {
	for _, known := range []struct {
		is   error
		code int
		hint string
	}{
		{runlog.ErrNone, console.ExitUsage, "assent runs lists those that go on, assent runs --all every one"},
		{task.ErrArtifact, console.ExitRefused, "the run's journal names other content; assent run retry ID makes it again"},
		{task.ErrGone, console.ExitRefused, "assent run retry ID, without --failed, makes them again"},
		{task.ErrNoTask, console.ExitUsage, "assent run show ID lists the jobs of a run"},
		{task.ErrNotRole, console.ExitRefused, "policies/roles.yaml says who has which role"},
		{task.ErrBarred, console.ExitRefused, barredHint},
		{task.ErrTaken, console.ExitRefused, "take another one: assent task next, with the same --agent"},
		{task.ErrGoesOn, console.ExitRefused, "assent run cancel ID ends it"},
		{task.ErrNothing, console.ExitRefused, "assent run retry ID, without --failed, repeats all of it"},
		{task.ErrNoContents, console.ExitRefused, "assent run retry ID, without --failed, begins with a new proposal"},
		{task.ErrUndefined, console.ExitRefused, "assent runs --all lists all runs"},
		{task.ErrExpired, console.ExitRefused, "assent run retry ID --failed asks again"},
		{task.ErrEnded, console.ExitRefused, "assent run retry ID repeats it; assent withdraw ends a proposal"},
		{task.ErrOver, console.ExitRefused, "assent run show ID tells where the run is"},
		{run.ErrRecord, console.ExitWorld, "the run's journal is damaged; assent gap or assent run start begins another one"},
	} {
		if errors.Is(err, known.is) {
			return &console.Failure{Code: known.code, Err: err, Hint: about(id, known.hint)}
		}
	}
	var several *runlog.Several
	if errors.As(err, &several) {
		return &console.Failure{Code: console.ExitUsage, Err: err, Hint: "give more of the id"}
	}
	return console.Stale(err)
}

// about puts the name of a run, if it is known, into the commands of a hint.
func about(id, hint string) string {
	if id == "" {
		return hint
	}
	return strings.ReplaceAll(hint, " ID", " "+names.ShellWord(id))
}

// problems shows findings that go with an answer.
func problems(ds diag.List) diag.List {
	if ds == nil {
		return diag.List{}
	}
	return ds
}
