package inforce

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/quarantine"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/machine"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

type healthOptions struct {
	check, due, reset, dryRun bool
	agent                     string
}

func newHealth(c *console.Console) *cobra.Command {
	var o healthOptions
	cmd := &cobra.Command{
		Use:   "health [NAME...]",
		Short: "How the capabilities with code hold up here, and which are in quarantine",
		Long: `Health shows what this installation knows of the tools and servers in force: pending,
green, flaky, red or rejected, since when and why, how often they were used and failed,
and when their tests are due again. What is red or rejected is in quarantine: nothing
calls it here, and a proposal asks to repair or to retire it.

--check runs all tests of the named capabilities now, or of all of them, notes what they
came to, opens the proposals that follow, and withdraws those that have no reason any
more. Tests that pass end a quarantine; one that uses caused only if you name it. The
exit code of --check is 1 if something that it looked at is not green, or if nothing was shown.`,
		Example: `  assent health
  assent health parse_csv --json
  assent health --check --due
  assent health --check parse_csv`,
		RunE: func(cmd *cobra.Command, args []string) error { return runHealth(cmd.Context(), c, o, args) },
	}
	cmd.Flags().BoolVar(&o.check, "check", false, "run the tests now, and record their outcome")
	cmd.Flags().BoolVar(&o.due, "due", false, "only those whose tests are due")
	cmd.Flags().BoolVar(&o.reset, "reset", false, "clear a rejection, because this machine was at fault")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what --check or --reset would do, but run and write nothing")
	return cmd
}

func runHealth(ctx context.Context, c *console.Console, o healthOptions, names []string) error {
	switch {
	case o.check && o.reset:
		return console.Usage("give either --check or --reset")
	case o.reset && len(names) == 0:
		return console.Usage("--reset needs the name of a rejected capability")
	case o.reset && (o.agent != "" || c.World.Getenv("ASSENT_AGENT") != ""):
		return console.Refused("a person does that without --agent, and without ASSENT_AGENT in the environment", "an agent cannot say that the machine was at fault")
	}
	observe := c.Current
	if o.check && !o.dryRun {
		observe = c.Joined
	}
	cur, err := observe(ctx)
	if err != nil {
		return err
	}
	home, err := keys.Home()
	if err != nil {
		return err
	}
	store := workspace.HealthOf(cur)
	if !o.check && !o.reset && !o.dryRun {
		defer follow(ctx, c, cur, cur.Now(), o.agent, nil)()
	}
	subjects, err := healthSubjects(ctx, cur, store, names)
	if err != nil {
		return err
	}
	if o.due {
		subjects = dueOnly(subjects)
	}
	k := quarantine.Keeper{W: cur.Workspace, Store: store, Agent: o.agent, Packages: filepath.Join(home, "packages")}
	switch {
	case o.reset:
		return resetHealth(ctx, c, k, subjects, o.dryRun)
	case o.check && o.dryRun:
		return planHealth(ctx, c, k, cur, subjects)
	case o.check:
		return checkHealth(ctx, c, k, cur, subjects, len(names) > 0)
	}
	return printHealth(c, subjects, len(names) > 0)
}

// healthHere is the health of the capability in a folder, nil where it has no code.
func healthHere(ctx context.Context, cur workspace.Session, path string) (*healthRow, error) {
	s, ok, err := quarantine.Look(ctx, cur, workspace.HealthOf(cur), path, cur.Now())
	if err != nil || !ok {
		return nil, err
	}
	return &healthRows([]quarantine.Subject{s})[0], nil
}

func healthSubjects(ctx context.Context, cur workspace.Session, store *triallog.Health, names []string) ([]quarantine.Subject, error) {
	if len(names) == 0 {
		return quarantine.Survey(ctx, cur, store, cur.Now())
	}
	var out []quarantine.Subject
	for _, name := range names {
		f, err := console.CapabilityNamed(cur, name)
		if err != nil {
			return nil, err
		}
		s, ok, err := quarantine.Look(ctx, cur, store, f.Path, cur.Now())
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, console.Usage("%s of kind %s has no code, and so no health", s.Name, s.Kind)
		}
		out = append(out, s)
	}
	return out, nil
}

func dueOnly(all []quarantine.Subject) []quarantine.Subject {
	var out []quarantine.Subject
	for _, s := range all {
		if s.Due {
			out = append(out, s)
		}
	}
	return out
}

func resetHealth(ctx context.Context, c *console.Console, k quarantine.Keeper, subjects []quarantine.Subject, dryRun bool) error {
	for i, s := range subjects {
		ev := health.Evidence{Kind: health.Reset, At: k.W.Now(), Why: "reset by hand"}
		after, err := s.Health.Step(ev, health.Thresholds{})
		if err == nil && !dryRun {
			_, after, err = k.Store.Note(ctx, ev.Observation(s.Name, s.Digest, s.Version).Neat())
		}
		var illegal *health.Illegal
		if errors.As(err, &illegal) {
			return console.Refused("assent health "+names.ShellWord(s.Name)+" shows why", "%s: %s", s.Name, illegal.Why)
		}
		if err != nil {
			return err
		}
		subjects[i].Health = after
	}
	return printHealth(c, subjects, true)
}

// planHealth shows the tests that --check would run, and the proposals as far as they are known
// before.
func planHealth(ctx context.Context, c *console.Console, k quarantine.Keeper, cur workspace.Session, subjects []quarantine.Subject) error {
	followed, err := k.FollowAll(ctx, cur, subjects, true)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(healthJSON{DryRun: true, Capabilities: healthRows(subjects), Proposals: followed})
	}
	for _, s := range subjects {
		c.Printf("would run the tests of %s, which is %s\n", c.Style.Bold(console.OneLine(s.Name)), s.Health.State)
	}
	printFollowed(c, followed, true)
	return nil
}

func checkHealth(ctx context.Context, c *console.Console, k quarantine.Keeper, cur workspace.Session, subjects []quarantine.Subject, asked bool) error {
	var err error
	if len(subjects) > 0 {
		if k.Runner, err = sandbox.OrRefusing(machine.Sandbox(ctx, cur.ID(), cur.Policies)); err != nil {
			return err
		}
	}
	if c.Terminal() {
		k.Progress = func(done, total int) {
			if done < total && done%max(total/4, 1) == 0 {
				c.Progress("%d of %d runs", done, total)
			}
		}
	}
	checked, err := k.Check(ctx, cur, subjects, asked)
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return console.Refused(no.Fix, "nothing is tested, and no health changes: %s", no.Why)
	}
	if err != nil {
		return err
	}
	code := console.ExitOK
	for i, done := range checked {
		subjects[i] = done.Subject
		if done.Health.State != health.Green || done.Refused != "" {
			code = console.ExitFindings
		}
	}
	followed, err := k.FollowAll(ctx, cur, subjects, false)
	if err != nil {
		return err
	}
	if c.JSON {
		out := healthJSON{Capabilities: healthRows(subjects), Proposals: followed}
		for i, done := range checked {
			out.Capabilities[i].Before, out.Capabilities[i].Refused = done.Before, done.Refused
		}
		err = c.Emit(out)
	} else {
		printChecked(c, checked)
		printFollowed(c, followed, false)
	}
	if err == nil && code != console.ExitOK {
		return console.Quiet(code)
	}
	return err
}

// follow opens the proposals about capabilities that a call took out of use, and those that
// earlier calls did not open because they were stopped. The call has its answer already, and keeps
// it whatever fails here.
func follow(ctx context.Context, c *console.Console, cur workspace.Session, now time.Time, agent string, turned []tool.Turned) (report func()) {
	opened, err := owed(context.WithoutCancel(ctx), c, cur, now, agent)
	return func() {
		for _, t := range turned {
			c.Complain("%s %s is %s from now on, and nothing calls it here: %s", c.Style.Bad("quarantine:"),
				console.OneLine(t.Capability.Name), t.Health.State, console.OneLine(t.Health.Why))
		}
		for _, id := range opened {
			c.Complain("  opened %s: assent show %s", c.Style.Bold(id), names.ShellWord(id))
		}
		if err != nil && len(turned) > 0 { // earlier failures were reported then
			c.Complain("%s no proposal about it: %s; assent health --check opens it", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		}
	}
}

// owed opens the missing proposals about capabilities in quarantine here.
func owed(ctx context.Context, c *console.Console, cur workspace.Session, now time.Time, agent string) (opened []string, err error) {
	return quarantine.FollowOwed(ctx, cur, quarantine.Keeper{Store: workspace.HealthOf(cur), Agent: agent}, now, c.Joined)
}
