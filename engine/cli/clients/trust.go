package clients

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
)

func newTrust(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "trust [ID]",
		Short: "Accept a workspace for agent clients and for code without isolation",
		Long: `Trust shows whose signatures decide in the workspace, and what its code may do here. You
accept it on the terminal or, elsewhere, by naming its id.

Until you accept a workspace, assent mcp and assent hook serve no client from it, its code
runs only in the sandbox, it gets no secret from your own folder, and no text is sent to the
addresses that its policies name. One that you began or cloned with assent is accepted; for a
clone whose policies do without isolation or name addresses, this command asks once more. Your own folder records it, which no project can write.`,
		Example: `  assent -C ../agents trust
  assent trust 61ba6a25b5b3447dd4b1c7b5ab42ba1cc1b1c4c6`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTrust(cmd.Context(), c, append(args, "")[0], dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the workspace, but record nothing")
	return cmd
}

// trustJSON is a workspace and whether the user accepts it.
type trustJSON struct {
	Workspace string            `json:"workspace"`
	Dir       string            `json:"dir"`
	Trusted   bool              `json:"trusted"`
	Isolated  bool              `json:"isolated"`
	About     map[string]string `json:"about"`
	DryRun    bool              `json:"dry_run,omitempty"`
}

func runTrust(ctx context.Context, c *console.Console, id string, dryRun bool) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if err := console.NeedTrust(c, cur, console.Trusted, id, "assent trust", dryRun); err != nil {
		return err
	}
	out := trustJSON{Workspace: cur.ID(), Dir: cur.Repo.Top(), Isolated: !console.Unprotected(cur), About: map[string]string{}, DryRun: dryRun}
	if out.Trusted, err = console.Trusted(cur); err != nil {
		return err
	}
	for _, line := range console.TrustLines(cur) {
		out.About[line[0]] = line[1]
	}
	if c.JSON {
		return c.Emit(out)
	}
	console.PrintTrust(c, cur)
	if out.Trusted {
		c.Field("accepted", "yes")
	} else {
		c.Field("accepted", "no")
	}
	return nil
}
