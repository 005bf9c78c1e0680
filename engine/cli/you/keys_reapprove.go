package you

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type reapproveOptions struct {
	whose, reason, key string
	ids                []string
	except, dryRun     bool
}

func newKeysReapprove(c *console.Console) *cobra.Command {
	var o reapproveOptions
	cmd := &cobra.Command{
		Use:   "reapprove NAME|FINGERPRINT ID...",
		Short: "Approve again what a lost or stolen key carried, or except it",
		Long: `Reapprove signs a statement, with the key of one human, that the merge of each proposal
ID is right without the signatures of the key that is named. It is filed in the proposal's
journal. A merge counts as approved again when such approvals meet the policies that it
was merged under. With --except the merge stays in force without that, and is listed as
excepted. Nothing in force changes. Look at the content first: assent diff ID.`,
		Example: `  assent keys audit bob
  assent keys reapprove bob add-parser-k3v9q2mt
  assent keys reapprove SHA256:… add-parser-k3v9q2mt --except --reason "replaced next week"`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: complete.First(identities(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.whose, o.ids = args[0], args[1:]
			return runReapprove(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVar(&o.except, "except", false, "leave the merges in force without an approval; needs --reason")
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, in one `LINE`")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would come of it, but file nothing")
	return cmd
}

// reapprovedJSON is a merge and its state with the statement.
type reapprovedJSON struct {
	audit.Relied
	By       string          `json:"by"`
	Decision review.Decision `json:"decision"`
	Open     bool            `json:"open"`
	DryRun   bool            `json:"dry_run,omitempty"`
}

func runReapprove(ctx context.Context, c *console.Console, o reapproveOptions) error {
	statement := review.Again{V: review.Version, Decision: review.Approve, Reason: strings.TrimSpace(o.reason)}
	if o.except {
		statement.Decision = review.Except
		if statement.Reason == "" {
			return console.Usage("say in one line why the merge can stay: --reason TEXT")
		}
	}
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	if _, statement.Key, _, err = keyToAudit(cur.Policies.Roles, o.whose); err != nil {
		return err
	}
	relied, err := audit.ReliedOn(ctx, cur.Workspace, statement.Key, nil)
	if err != nil {
		return err
	}
	var chosen []audit.Relied
	for _, id := range o.ids {
		at := slices.IndexFunc(relied, func(r audit.Relied) bool { return r.Proposal == id })
		if at < 0 {
			pull, err := propose.Resolve(ctx, cur.Workspace, id)
			if err != nil && !errors.Is(err, forge.ErrNotFound) {
				return err
			}
			at = slices.IndexFunc(relied, func(r audit.Relied) bool { return r.Proposal == pull.ID })
		}
		switch {
		case at < 0:
			return console.Refused("assent keys audit "+names.ShellWord(string(statement.Key))+" lists its merges", "%s signed no merge of %s that is in force", statement.Key, console.OneLine(id))
		case !relied[at].Needed || o.except && !relied[at].Open():
			return console.Refused("assent keys audit "+names.ShellWord(string(statement.Key))+" says why", "%s does not need the key %s any more", console.OneLine(id), statement.Key)
		}
		chosen = append(chosen, relied[at])
	}
	signer, who, err := console.HumanSigner(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	if signer.Fingerprint() == statement.Key {
		return console.Refused("sign with another key: --key FILE", "the key %s cannot confirm its own merges", statement.Key)
	}
	out := []reapprovedJSON{}
	for _, r := range chosen {
		statement.Workspace, statement.Proposal, statement.Commit = cur.ID(), r.Proposal, r.Commit
		statement.At = cur.Now().UTC().Truncate(time.Second)
		if statement.Nonce, err = console.Nonce(cur.Workspace); err != nil {
			return err
		}
		text, err := review.SignAgain(statement, titleOf(statement, who.Name), signer)
		if err != nil {
			return err
		}
		r.Take(cur, cur.Now(), statement, signer.Fingerprint())
		if !o.dryRun {
			remark := forge.Comment{By: forge.Actor{Name: who.Name, Key: string(signer.Fingerprint())}, Body: text, At: statement.At}
			if err := cur.Record.Comment(ctx, r.Proposal, remark); err != nil {
				return err
			}
		}
		out = append(out, reapprovedJSON{r, who.Name, statement.Decision, r.Open(), o.dryRun})
	}
	return printReapproved(c, cur.Workspace, out)
}

// titleOf is the line of a statement that people read.
func titleOf(statement review.Again, who string) string {
	what := who + " approves " + statement.Commit.Short() + " again, without the key " + string(statement.Key)
	if statement.Decision == review.Except {
		what = who + " leaves " + statement.Commit.Short() + " in force without an approval in place of the key " + string(statement.Key)
	}
	return what
}

func printReapproved(c *console.Console, w *workspace.Workspace, out []reapprovedJSON) error {
	if c.JSON {
		return c.Emit(out)
	}
	for _, r := range out {
		if r.DryRun {
			c.Printf("%s\n", c.Style.Warn("dry run: nothing is filed"))
		}
		c.Printf("%s  %s\n", c.Style.Bold(console.OneLine(r.Proposal)), console.OneLine(output.ReliedText(r.Relied)))
	}
	if len(out) > 0 && !out[0].DryRun && console.HasRemote(w) {
		c.Field("next", "assent push publishes it")
	}
	return nil
}

// printSettled shows the humans' decisions statement a merge that depended on a key.
func printSettled(c *console.Console, r audit.Relied) {
	c.Optional("again by", console.OneLine(strings.Join(r.Again, ", ")))
	for _, e := range r.Excepted {
		c.Field("excepted", console.OneLine("by "+e.By+" on "+e.At.UTC().Format(time.DateOnly)+": "+e.Reason))
	}
}
