package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/workspace"
)

type reviewOptions struct {
	id, decision, reason, key, head string
	dryRun, all                     bool
}

func newReview(c *console) *cobra.Command {
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

func runReview(ctx context.Context, c *console, o reviewOptions) error {
	d, err := decisionOf(o)
	if err != nil {
		return err
	}
	cur, pull, err := c.target(ctx, o.id)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(pull.Head.String(), strings.ToLower(o.head)) {
		return refused("assent diff "+pull.ID+" shows what it is now", "%s is not at %s any more: it moved to %s", pull.ID, o.head, pull.Head.Short())
	}
	var seen tree.Hash
	if o.head != "" { // and so it stays while a passphrase is typed
		seen = pull.Head
	}
	signer, err := c.signer(cur.Workspace, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	if err := c.ownKey(cur, signer); err != nil {
		return err
	}
	out, err := approve.Run(ctx, cur.Workspace, approve.Decision{
		Proposal: pull.ID, Head: seen, Decision: d, Reason: o.reason, Signer: signer, DryRun: o.dryRun,
	})
	var unlisted *approve.NotListed
	if errors.As(err, &unlisted) {
		return refused("assent keys lists the keys that count", "%s", err)
	}
	var failing *approve.Failing
	if errors.As(err, &failing) {
		return refused("assent show "+pull.ID+" lists the findings", "%s", err)
	}
	var nothing *approve.Nothing
	if errors.As(err, &nothing) {
		return refused("assent why "+pull.ID+" shows whose decisions count", "%s", err)
	}
	if err != nil {
		return stale(err)
	}
	v := viewOf(out.Examined)
	v.DryRun = o.dryRun
	if c.json {
		return c.emit(struct {
			proposalJSON
			By     string `json:"by"`
			Counts bool   `json:"counts"`
			Note   string `json:"note"`
		}{v, out.By.Name, out.Counts, out.Note})
	}
	verb, signed := map[review.Decision]string{review.Approve: "approves", review.Reject: "rejects", review.RequestChanges: "requests changes to", review.Revoke: "takes back what they decided on"}[d], "signed"
	if o.dryRun {
		c.printf("%s\n", c.style.warn("dry run: nothing is signed"))
		signed = "would be signed"
	}
	c.printf("%s %s %s, %s with %s\n", c.style.bold(oneLine(out.By.Name)), verb, oneLine(pull.ID), signed, signer.Fingerprint())
	if out.Note != "" {
		c.printf("%s\n", c.style.warn(oneLine(out.Note)))
	}
	c.proposal(v)
	return nil
}

// ownKey keeps a program that says that it is an agent from signing as a person.
func (c *console) ownKey(cur workspace.Session, signer *keys.Signer) error {
	agent := c.world.Getenv("ASSENT_AGENT")
	who, known := cur.Policies.Roles.ByKey(signer.Fingerprint())
	if agent == "" || known && who.Name == agent {
		return c.attended(cur, signer)
	}
	owner := "nobody in policies/roles.yaml"
	if known {
		owner = who.Name
	}
	return refused("a person reviews without ASSENT_AGENT in the environment; an agent names its own key with --key",
		"you act as the agent %s (ASSENT_AGENT), and the key %s belongs to %s", agent, signer.Fingerprint(), owner)
}

func decisionOf(o reviewOptions) (review.Decision, error) {
	for _, d := range review.Decisions() {
		if string(d) != o.decision {
			continue
		}
		reason := strings.TrimSpace(o.reason)
		if d.NeedsReason() && reason == "" {
			return "", usage("say why: --reason is needed to %s", d)
		}
		if err := (review.Record{Decision: d, Reason: reason}).CheckReason(); err != nil {
			return "", usage("--%w", err)
		}
		return d, nil
	}
	return "", usage("unknown decision %q: approve, reject, request-changes or revoke", o.decision)
}

// signer loads the key that is named, or the one that the user signs with.
func (c *console) signer(w *workspace.Workspace, spec string) (*keys.Signer, error) {
	if spec == "" {
		var err error
		if spec, err = defaultKey(w); err != nil {
			return nil, err
		}
	}
	s, err := keys.Load(spec, c.passphrase(spec))
	if err != nil {
		return nil, err
	}
	for _, warning := range s.Warnings {
		c.progress("warning: %s", warning)
	}
	return s, nil
}

// passphrase asks on the terminal; nobody is asked where there is none.
func (c *console) passphrase(spec string) keys.Passphrase {
	if !c.world.Interactive {
		return nil
	}
	return func() ([]byte, error) {
		fmt.Fprintf(c.world.Err, "Passphrase of %s: ", clean(spec))
		defer fmt.Fprintln(c.world.Err)
		return term.ReadPassword(int(os.Stdin.Fd()))
	}
}

// stale explains a lost race.
func stale(err error) error {
	var s *forge.ErrStale
	if errors.As(err, &s) {
		return refused("look at it again: assent show ID", "%s", err)
	}
	return err
}
