package proposals

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

type reviewOptions struct {
	id, decision, reason, key, head string
	dryRun, all                     bool
}

func newReview(c *console.Console) *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review ID [approve | reject | request-changes | revoke]",
		Short: "Decide on a proposal, with a signature",
		Long: `Review signs a decision on exactly what the proposal would change now, with an SSH
key that policies/roles.yaml lists, and files it.

Without a decision it shows on one screen what there is to decide: risk and why, what
the change newly needs, findings, what the raw text hides, tests, near-duplicates, who
must approve, until when, and the commands that decide on exactly this. -v leaves
nothing out and adds the difference.

A review stands while the change stays the same, survives a rebase, and is void as
soon as the content differs. Rejecting and requesting changes need a --reason. Until
the merge, revoke takes back whatever you decided before, on any version.`,
		Example: `  assent review parse-csv-k3v9q2mt
  assent review parse-csv-k3v9q2mt approve --reason "read it, ran the cases"
  assent review parse-csv-k3v9q2mt revoke --reason "one case was missing"`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			if len(args) == 1 {
				return runReviewShow(cmd.Context(), c, o.id, o.all)
			}
			o.decision = args[1]
			return runReview(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.reason, "reason", "", "why; needed to reject or request changes")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	cmd.Flags().StringVar(&o.head, "head", "", "sign only if the proposal is still at `COMMIT`, as show and diff print it")
	cmd.Flags().BoolVarP(&o.all, "verbose", "v", false, "without a decision: show everything, and the difference")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check the key and the proposal, but sign nothing")
	return cmd
}

func runReview(ctx context.Context, c *console.Console, o reviewOptions) error {
	d, err := decisionOf(o)
	if err != nil {
		return err
	}
	cur, pull, err := c.Target(ctx, o.id)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(pull.Head.String(), strings.ToLower(o.head)) {
		return console.Refused("assent diff "+pull.ID+" shows what it is now", "%s is not at %s any more: it moved to %s", pull.ID, o.head, pull.Head.Short())
	}
	var seen tree.Hash
	if o.head != "" { // and so it stays while a passphrase is typed
		seen = pull.Head
	}
	signer, err := console.SignerOf(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	if err := console.OwnKey(c, cur, signer); err != nil {
		return err
	}
	if !o.dryRun {
		if err := propose.TakeOwn(ctx, cur, console.Acting(c, cur), pull.ID); err != nil {
			return err
		}
	}
	out, err := approve.Run(ctx, cur.Workspace, approve.Decision{
		Proposal: pull.ID, Head: seen, Decision: d, Reason: o.reason, Signer: signer, DryRun: o.dryRun,
	})
	var unlisted *approve.NotListed
	if errors.As(err, &unlisted) {
		return console.Refused("assent keys lists the keys that count", "%s", err)
	}
	var failing *approve.Failing
	if errors.As(err, &failing) {
		return console.Refused("assent show "+pull.ID+" lists the findings", "%s", err)
	}
	var nothing *approve.Nothing
	if errors.As(err, &nothing) {
		return console.Refused("assent why "+pull.ID+" shows whose decisions count", "%s", err)
	}
	if err != nil {
		return console.Stale(err)
	}
	v := output.ProposalOf(out.Examined)
	if err := v.NameWeak(cur, out.Examined); err != nil {
		return err
	}
	v.DryRun = o.dryRun
	v.Share(cur.Workspace)
	if c.JSON {
		return c.Emit(struct {
			output.Proposal
			By     string `json:"by"`
			Counts bool   `json:"counts"`
			Note   string `json:"note"`
		}{v, out.By.Name, out.Counts, out.Note})
	}
	verb, signed := map[review.Decision]string{review.Approve: "approves", review.Reject: "rejects", review.RequestChanges: "requests changes to", review.Revoke: "takes back what they decided on"}[d], "signed"
	if o.dryRun {
		c.Printf("%s\n", c.Style.Warn("dry run: nothing is signed"))
		signed = "would be signed"
	}
	c.Printf("%s %s %s, %s with %s\n", c.Style.Bold(console.OneLine(out.By.Name)), verb, console.OneLine(pull.ID), signed, signer.Fingerprint())
	if out.Note != "" {
		c.Printf("%s\n", c.Style.Warn(console.OneLine(out.Note)))
	}
	output.PrintProposal(c, v)
	return nil
}

func decisionOf(o reviewOptions) (review.Decision, error) {
	for _, d := range review.Decisions() {
		if string(d) != o.decision {
			continue
		}
		reason := strings.TrimSpace(o.reason)
		if d.NeedsReason() && reason == "" {
			return "", console.Usage("say why: --reason is needed to %s", d)
		}
		if err := (review.Record{Decision: d, Reason: reason}).CheckReason(); err != nil {
			return "", console.Usage("--%w", err)
		}
		return d, nil
	}
	return "", console.Usage("unknown decision %q: approve, reject, request-changes or revoke", o.decision)
}
