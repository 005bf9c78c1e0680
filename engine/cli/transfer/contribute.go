package transfer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/contribute"
)

type contributeOptions struct {
	to, as string
	with   bool
	dryRun bool
}

func newContribute(c *console.Console) *cobra.Command {
	var o contributeOptions
	cmd := &cobra.Command{
		Use:   "contribute NAME --to REMOTE --as AGENT",
		Short: "Offer a capability in force to another workspace",
		Long: `Contribute sends a capability in force to the inbox of another workspace: its files, and a
draft that says from which workspace and commit they are and who approved them there. Its
people see it with assent pull and assent status; assent reconcile --remote REMOTE there, or
their daemon, makes it a proposal, which that workspace's policies decide.

REMOTE is a remote of this repository or an address; git's own login is used. AGENT is an
agent of the other workspace that you may propose as.

Nothing else of this workspace is sent: no policies, souls, learned lists or history. What a
human stopped, a secret and a path of this machine are refused. What the capability requires
is named in the draft; --with-requires sends it, too. The same content is sent once. Newer
content takes the place of an offer that is still in the inbox; while one is an open
proposal, nothing is sent.`,
		Example: `  assent contribute knot --to ../other.git --as scout --dry-run
  assent contribute knot --to friends --as scout --with-requires`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Names(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runContribute(cmd.Context(), c, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the other workspace: a `REMOTE` or an address")
	cmd.Flags().StringVar(&o.as, "as", "", "an `AGENT` of the other workspace")
	cmd.Flags().BoolVar(&o.with, "with-requires", false, "also send what it requires and the other workspace lacks")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be sent, but send nothing")
	return cmd
}

func runContribute(ctx context.Context, c *console.Console, o contributeOptions, name string) error {
	if o.to == "" || o.as == "" {
		return console.Usage("name the other workspace and an agent of it: --to REMOTE --as AGENT")
	}
	if strings.HasPrefix(o.to, "-") || strings.Contains(o.to, "::") {
		return console.Usage("--to %s is no address", console.OneLine(o.to))
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	f, err := console.CapabilityNamed(cur, name)
	if err != nil {
		return err
	}
	q := contribute.Options{Folder: f, As: o.as, WithRequires: o.with, DryRun: o.dryRun, Paths: []string{cur.Repo.Top()}}
	if home, err := os.UserHomeDir(); err == nil {
		q.Paths = append(q.Paths, home)
	}
	if q.To, err = remote.Address(ctx, cur.Repo, o.to); err != nil {
		return &console.Failure{Code: console.ExitRefused, Err: err}
	}
	out, err := contribute.Run(ctx, cur, q)
	var refused *contribute.Refusal
	if errors.As(err, &refused) {
		return console.Refused("nothing was sent", "%s is not offered to %s: %v", f.Name, console.OneLine(shown(o.to)), err)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s  %s  %s\n", c.Style.Bold(out.Name), c.Style.State(out.State), console.OneLine(cmp.Or(out.Known, out.Ref)))
	for _, ref := range out.Replaces {
		c.Printf("  instead of %s\n", console.OneLine(ref))
	}
	for _, file := range out.Files {
		c.Printf("  %s\n", c.Style.Dim(console.OneLine(file)))
	}
	if len(out.Missing) > 0 {
		c.Printf("it requires what that workspace lacks: %s; --with-requires sends it, too\n", console.OneLine(strings.Join(out.Missing, ", ")))
	}
	printOfferNext(c, out, o)
	if o.dryRun {
		c.Printf("\n%s", console.Clean(out.Text))
	}
	return nil
}

// printOfferNext says what happens to an offer now, and what to type on both sides.
func printOfferNext(c *console.Console, out contribute.Offer, o contributeOptions) {
	id, opened := strings.CutPrefix(out.Known, "refs/heads/"+forge.BranchPrefix)
	switch {
	case out.State == contribute.Sent, out.State == contribute.Waiting && !opened:
		c.Field("there", "assent pull fetches it, assent reconcile --remote REMOTE or a daemon makes it a proposal")
		again := "assent contribute " + names.ShellWord(out.Name) + " --to " + names.ShellWord(shown(o.to)) + " --as " + names.ShellWord(o.as)
		if o.with {
			again += " --with-requires"
		}
		c.Field("here", console.OneLine(again)+" tells later what became of it")
	case out.State == contribute.Waiting:
		c.Field("there", "it is an open proposal: assent review "+names.ShellWord(id))
	case out.State == contribute.Decided:
		c.Field("there", "it was decided, and the same content is not offered again: assent status --all")
	}
}
