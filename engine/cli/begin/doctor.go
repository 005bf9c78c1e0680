package begin

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/flows/doctor"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/workspace"
)

type doctorOptions struct {
	fix, dryRun bool
	remote      string
}

func newDoctor(c *console.Console) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find faults of this workspace or machine, and repair them",
		Long: `Doctor looks at the git program, the repository, what is in force, policies, keys,
locks and settings, and says for each what is wrong and what to do. It changes
nothing, unless --fix has it mend what needs no choice of yours: it removes what
killed programs left over, restores refs from their logs, and brings checkouts to
where the refs are. Files that you edited stay as they are.

With --remote it also reads the journals of proposals, runs and trials there, and --fix
puts back what cannot be read on one side and is whole on the other; if no side has a run
whole, it is reset to what can be read. What stood there is kept below
refs/assent-aside/damaged/ in this clone.

The exit code is 1 when something fails, after mending too; a warning is no failure.`,
		Example: `  assent doctor
  assent doctor --fix --dry-run
  assent doctor --fix
  assent doctor --fix --remote`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), c, o) },
	}
	cmd.Flags().BoolVar(&o.fix, "fix", false, "repair what can be repaired, and report it")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --fix: say what would be done, but do nothing")
	cmd.Flags().StringVar(&o.remote, "remote", "", "compare the journals with those of this remote")
	cmd.Flags().Lookup("remote").NoOptDefVal = console.DefaultRemote
	return cmd
}

func runDoctor(ctx context.Context, c *console.Console, o doctorOptions) error {
	s := doctor.Surroundings{
		Open: c.Open, Now: c.World.Now, Getenv: c.World.Getenv, Git: console.Git, Key: console.KeyOf, Hint: func(err error) string { return console.Classify(err).Hint },
		Service: func(ctx context.Context, w *workspace.Workspace) (host.Host, bool, error) {
			return serviceOf(ctx, c, w)
		},
		Remote: o.remote, JournalRefs: console.JournalRefs, FetchesJournals: console.FetchesJournals, FollowJournals: console.FollowJournals,
	}
	var found []doctor.Finding
	if o.fix && !o.dryRun {
		found = doctor.Mend(ctx, s)
	} else {
		found = doctor.Examine(ctx, s)
	}
	if c.JSON {
		if err := c.Emit(found); err != nil {
			return err
		}
	} else {
		printChecks(c, found, o)
	}
	if slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Status == doctor.Fails }) {
		return console.Quiet(console.ExitFindings)
	}
	return nil
}

// serviceOf is where the workspace's pull requests are shown.
func serviceOf(ctx context.Context, c *console.Console, w *workspace.Workspace) (host.Host, bool, error) {
	s, err := connect.ServiceOf(w.Repo)
	if err != nil || !s.Hosted() {
		return nil, false, err
	}
	h, err := connect.Host(ctx, w, s, c.World.Getenv)
	return h, h != nil || !s.Guessed, err
}

func printChecks(c *console.Console, found []doctor.Finding, o doctorOptions) {
	marks := map[doctor.Status]string{
		doctor.Healthy: c.Style.Good("ok  "), doctor.Warns: c.Style.Warn("warn"), doctor.Fails: c.Style.Bad("FAIL"), doctor.Mended: c.Style.Good("done"),
	}
	under := func(label, text string) {
		c.Printf("%s%s\n", strings.Repeat(" ", 19), c.Style.Dim(label+": "+console.OneLine(text)))
	}
	for _, f := range found {
		c.Printf("%s  %s%s %s\n", marks[f.Status], c.Style.Bold(f.Check), strings.Repeat(" ", max(0, 12-len(f.Check))), console.OneLine(f.Message))
		if f.Fix != "" {
			under("fix", f.Fix)
		}
		switch {
		case f.Mend == "" || o.fix && !o.dryRun:
		case o.fix:
			under("would", f.Mend)
		default:
			under("--fix would", f.Mend)
		}
	}
}
