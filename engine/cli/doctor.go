package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/flows/connect"
	"github.com/assent-dev/assent/engine/flows/doctor"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/workspace"
)

type doctorOptions struct {
	fix, dryRun bool
	remote      string
}

func newDoctor(c *console) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with this workspace or machine, and mend it",
		Long: `Doctor looks at the git program, the repository, what is in force, policies, keys,
locks and settings, and says for each what is wrong and what to do. It changes
nothing, unless --fix has it mend what needs no choice of yours: it removes what
killed programs left over, restores refs from their logs, and brings checkouts to
where the refs are. Files that you edited stay as they are.

With --remote it also reads the journals of proposals there, and --fix puts back what
cannot be read on one side and is whole on the other. What stood there is kept below
refs/assent-aside/damaged/ in this clone.

The exit code is 1 when something fails, after mending too; a warning is no failure.`,
		Example: `  assent doctor
  assent doctor --fix --dry-run
  assent doctor --fix
  assent doctor --fix --remote`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), c, o) },
	}
	cmd.Flags().BoolVar(&o.fix, "fix", false, "mend what can be mended, and say what was done")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --fix: say what would be done, but do nothing")
	cmd.Flags().StringVar(&o.remote, "remote", "", "compare the journals with those of this remote")
	cmd.Flags().Lookup("remote").NoOptDefVal = defaultRemote
	return cmd
}

func runDoctor(ctx context.Context, c *console, o doctorOptions) error {
	s := doctor.Surroundings{
		Open: c.open, Now: c.world.Now, Getenv: c.world.Getenv, Git: c.git, Key: defaultKey, Hint: func(err error) string { return classify(err).hint },
		Service: c.service, Remote: o.remote, JournalRefs: journalRefs, FetchesJournals: c.fetchesJournals, FollowJournals: c.followJournals,
	}
	var found []doctor.Finding
	if o.fix && !o.dryRun {
		found = doctor.Mend(ctx, s)
	} else {
		found = doctor.Examine(ctx, s)
	}
	if c.json {
		if err := c.emit(found); err != nil {
			return err
		}
	} else {
		c.checks(found, o)
	}
	if slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Status == doctor.Fails }) {
		return quiet(exitFindings)
	}
	return nil
}

// service is where the workspace's pull requests are shown.
func (c *console) service(ctx context.Context, w *workspace.Workspace) (host.Host, bool, error) {
	s, err := connect.ServiceOf(w.Repo)
	if err != nil || !s.Hosted() {
		return nil, false, err
	}
	h, err := connect.Host(ctx, w, s, c.world.Getenv)
	return h, h != nil || !s.Guessed, err
}

func (c *console) checks(found []doctor.Finding, o doctorOptions) {
	marks := map[doctor.Status]string{
		doctor.Healthy: c.style.good("ok  "), doctor.Warns: c.style.warn("warn"), doctor.Fails: c.style.bad("FAIL"), doctor.Mended: c.style.good("done"),
	}
	under := func(label, text string) {
		c.printf("%s%s\n", strings.Repeat(" ", 19), c.style.dim(label+": "+oneLine(text)))
	}
	for _, f := range found {
		c.printf("%s  %s%s %s\n", marks[f.Status], c.style.bold(f.Check), strings.Repeat(" ", max(0, 12-len(f.Check))), oneLine(f.Message))
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
