package runs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func newTask(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{Use: "task", Short: "Take a task of a run, hand in its result, or give it up"}
	cmd.AddCommand(newTaskNext(c), newTaskShow(c), newTaskDone(c), newTaskFail(c))
	return cmd
}

// taskOptions are the flags of all commands about tasks.
type taskOptions struct {
	name, agent, reason, result string
	files, dirs                 []string
	dryRun                      bool
}

func (o *taskOptions) flags(c *console.Console, cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.agent, "agent", c.World.Getenv("ASSENT_AGENT"), "the `ROLE` that you do it in, or your name (default $ASSENT_AGENT)")
	complete.Flag(cmd, "agent", complete.Both(complete.Agents(c), complete.Fixed(policy.KnownRoles())))
}

func newTaskNext(c *console.Console) *cobra.Command {
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "next",
		Short: "Take the next task for a role, or the one that you have",
		Long: `Next shows the most urgent task that waits for a role, of equally urgent ones the
oldest: what to do, what is known, what to hand in, and the command that does. It is
yours for as long as its lease says, so that no one else does it meanwhile; asking
again shows it again and renews the lease. Nothing else changes. With a remote, it is
taken there and here together, so that no other clone takes it; --local takes it here only.

It ends with 5 when nothing waits.`,
		Example: `  assent task next --agent developer`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runTaskNext(cmd.Context(), c, o) },
	}
	o.flags(c, cmd)
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only look, and claim nothing")
	return cmd
}

func runTaskNext(ctx context.Context, c *console.Console, o taskOptions) error {
	cur, err := c.Consulted(ctx)
	if cur, err = withRemote(ctx, c, cur, err, o.dryRun); err != nil {
		return err
	}
	name, roles, err := taker(c, cur, o.agent)
	if err != nil {
		return err
	}
	t, found, err := task.Next(ctx, cur, name, roles, o.dryRun)
	switch {
	case errors.Is(err, task.ErrBarred):
		return &console.Failure{Code: console.ExitNothing, Err: err, Hint: barredHint}
	case err != nil:
		return ofTask(err, "")
	}
	if !found {
		return &console.Failure{Code: console.ExitNothing, Err: errors.New("no task waits for " + strings.Join(roles, ", ")), Hint: "assent runs lists what goes on"}
	}
	return showTask(ctx, c, cur.Workspace, t, name)
}

const barredHint = "have another agent take it: assent task next --agent NAME, in a session of its own; assent roles add NAME --as agent --role ROLE adds one"

// taker returns the identity that takes a task, and its roles.
func taker(c *console.Console, cur workspace.Session, agent string) (name string, roles []string, err error) {
	known := cur.Policies.Roles
	if err := console.CheckSession(cur.Client); err != nil {
		return "", nil, err
	}
	if agent == "" {
		agent = console.Acting(c, cur).Name
	}
	if id, ok := known.ByName(agent); ok {
		if roles = known.RolesOf(id); len(roles) == 0 {
			return "", nil, console.Refused("have a proposal give it one: assent roles add "+names.ShellWord(agent)+" --role ROLE", "%s has no role", agent)
		}
		return agent, roles, nil
	}
	if !slices.Contains(policy.KnownRoles(), agent) {
		return "", nil, console.Usage("%q is neither a role (%s) nor an identity in policies/roles.yaml; name one with --agent", console.OneLine(agent), strings.Join(policy.KnownRoles(), ", "))
	}
	members := known.Members(agent)
	for _, who := range []string{c.World.Getenv("ASSENT_AGENT"), console.Acting(c, cur).Name} {
		if slices.Contains(members, who) {
			return who, []string{agent}, nil
		}
	}
	switch len(members) {
	case 0:
		return "", nil, console.Refused("propose one: assent roles add NAME --as agent --role "+names.ShellWord(agent), "no one has the role %s", agent)
	case 1:
		return members[0], []string{agent}, nil
	}
	return "", nil, console.Usage("the role %s is held by %s: say who you are with --agent or ASSENT_AGENT", agent, strings.Join(members, ", "))
}

// takenTask opens the workspace to end a task, which others must see.
func takenTask(ctx context.Context, c *console.Console, o taskOptions) (cur workspace.Session, t task.Task, name string, err error) {
	if cur, err = joined(ctx, c, o.dryRun); err != nil {
		return cur, t, "", err
	}
	if t, err = taskNamed(ctx, cur, o.name); err != nil {
		return cur, t, "", err
	}
	name, _, err = taker(c, cur, o.agent)
	return cur, t, name, err
}

// taskNamed finds RUN/JOB; the run alone will do where one of its tasks waits.
func taskNamed(ctx context.Context, cur workspace.Session, text string) (task.Task, error) {
	id, job, ok := strings.Cut(bare(text), "/")
	id, err := cur.Runs.Resolve(id, false)
	if err != nil {
		return task.Task{}, ofTask(err, "")
	}
	if ok {
		t, err := task.Find(ctx, cur, id, job)
		return t, ofTask(err, id)
	}
	all, _, err := task.Waiting(ctx, cur)
	if err != nil {
		return task.Task{}, err
	}
	var found []task.Task
	for _, t := range all {
		if t.Run.ID == id {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return task.Task{}, console.Usage("%q names %s that waits: write RUN/JOB, as assent task next shows it", console.OneLine(text), console.Plural(len(found), "task"))
	}
	return found[0], nil
}

func newTaskShow(c *console.Console) *cobra.Command {
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "show RUN/JOB",
		Short: "Show a task without taking it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cur, err := c.Consulted(cmd.Context())
			if err != nil {
				return err
			}
			t, err := taskNamed(cmd.Context(), cur, args[0])
			if err != nil {
				return err
			}
			role := cmp.Or(t.State.Role, run.RoleFor(t.Job, t.Run.Inputs))
			name, roles, err := taker(c, cur, o.agent)
			if err != nil || !slices.Contains(roles, role) { // a reader need not be the one who does it
				name = cmp.Or(t.State.Claimant, cur.Policies.Roles.TakersOf(role))
			}
			return showTask(cmd.Context(), c, cur.Workspace, t, name)
		},
	}
	o.flags(c, cmd)
	return cmd
}

func newTaskFail(c *console.Console) *cobra.Command {
	var o taskOptions
	cmd := &cobra.Command{
		Use:   "fail RUN/JOB",
		Short: "Give up a task, and say why",
		Long: `Fail ends the attempt. The role is asked again while the job has retries left;
after that the run has failed, and its requester is told.`,
		Example: `  assent task fail voice-call-k3v9q2mt/research --agent researcher --reason "sms-send does it already"`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = args[0]
			return runTaskFail(cmd.Context(), c, o)
		},
	}
	o.flags(c, cmd)
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, for the record (required)")
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say which task it is, but give nothing up")
	return cmd
}

func runTaskFail(ctx context.Context, c *console.Console, o taskOptions) error {
	if reason := strings.TrimSpace(o.reason); reason == "" || len(reason) > maxReason {
		return console.Usage("--reason says in up to %d bytes why it could not be done", maxReason)
	}
	cur, t, name, err := takenTask(ctx, c, o)
	if err != nil {
		return err
	}
	if o.dryRun {
		return showTask(ctx, c, cur.Workspace, t, name)
	}
	if _, err = task.Fail(ctx, cur, t, name, o.reason); err != nil {
		return ofTask(err, t.Run.ID)
	}
	_, err = printAdvanced(ctx, c, cur, t.Run.ID, "given up:", func() (task.Advanced, error) {
		return task.Advance(ctx, cur.Workspace, t.Run.ID)
	})
	return err
}

// maxReason bounds why a task was given up, in bytes.
const maxReason = 2000

// unknownTaker turns an unknown identity into a usage error.
func unknownTaker(err error) error {
	var unknown *propose.Unknown
	if errors.As(err, &unknown) {
		return &console.Failure{Code: console.ExitUsage, Err: err, Hint: "assent whoami shows who you are in this workspace"}
	}
	return err
}
