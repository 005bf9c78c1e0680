package runs

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/gate/migrate"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type migrateOptions struct {
	agent  string
	dryRun bool
}

func newMigrate(c *console.Console) *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Propose to raise the workspace to the next format",
		Long: `Migrate looks which format the workspace is in, and proposes what it lacks to be of
the next one that this program knows. That is a proposal like any other: it is
critical, and comes into force when people have approved it and it is merged.

Older programs refuse a workspace of a newer format, and no format is taken back.`,
		Example: `  assent migrate --dry-run
  assent migrate`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runMigrate(cmd.Context(), c, o) },
	}
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would change, but write nothing")
	return cmd
}

// migrateJSON is migrate's JSON.
type migrateJSON struct {
	// From is the workspace's format, To the proposed one; they are equal when there is nothing to
	// do.
	From int `json:"from"`
	To   int `json:"to"`
	// State is "current", "open" when ID proposes it already, or "proposed".
	State string `json:"state"`
	ID    string `json:"id"`
	// Files are the differences, of a dry run and of a proposal.
	Files    []output.FileDiff `json:"files"`
	Proposal *output.Proposal  `json:"proposal"` // the proposal opened now
	DryRun   bool              `json:"dry_run,omitempty"`
}

func runMigrate(ctx context.Context, c *console.Console, o migrateOptions) error {
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	out := migrateJSON{From: cur.Policies.Format, To: cur.Policies.Format, State: "current", Files: []output.FileDiff{}, DryRun: o.dryRun}
	step, err := migrate.Next(cur.View, out.From)
	if err != nil {
		return err
	}
	if step == nil {
		return printNothing(c, out, "the workspace has format %d, which is the newest that this program knows\n", out.From)
	}
	out.To = step.To
	pull, open, err := propose.Migrating(ctx, cur.Workspace, step.To)
	if err != nil {
		return err
	}
	if open {
		out.State, out.ID = "open", pull.ID
		return printNothing(c, out, "%s proposes format %d already; assent show %s shows its state\n", pull.ID, step.To, names.ShellWord(pull.ID))
	}
	return proposeStep(ctx, c, cur, o, *step, out)
}

func printNothing(c *console.Console, out migrateJSON, format string, args ...any) error {
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf(format, args...)
	return nil
}

// proposeStep opens the proposal and shows its change.
func proposeStep(ctx context.Context, c *console.Console, cur workspace.Session, o migrateOptions, step migrate.Step, out migrateJSON) error {
	who, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	r := propose.Migrate(step)
	r.By, r.Author, r.DryRun, r.Origin = who.By, who.Author, o.dryRun, provenance.Origin{Way: provenance.Migration}
	made, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	if made.Diagnostics.HasErrors() {
		return output.PrintOutcome(c, cur.Workspace, made, nil, o.dryRun)
	}
	before, after, _, err := output.Sides(ctx, cur, made.Pull)
	if err != nil {
		return err
	}
	changes, err := tree.Diff(before, after)
	if err != nil {
		return fmt.Errorf("compare what the migration would change: %w", err)
	}
	for _, ch := range changes {
		f, err := output.DifferenceOf(before, after, ch)
		if err != nil {
			return err
		}
		out.Files = append(out.Files, f)
	}
	if !c.JSON {
		c.Printf("format %d becomes %d\n", step.From, step.To)
		if o.dryRun {
			output.PrintFiles(c, out.Files, false)
		}
		return output.PrintOutcome(c, cur.Workspace, made, nil, o.dryRun)
	}
	v := output.OutcomeOf(made, nil, o.dryRun)
	out.State, out.ID, out.Proposal = "proposed", v.ID, &v
	if err := c.Emit(out); err != nil {
		return err
	}
	return v.Refusal()
}
