package proposals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

type reviewOptions struct {
	ids                         []string
	decision, reason, key, head string
	dryRun, all, step           bool
}

func newReview(c *console.Console) *cobra.Command {
	var o reviewOptions
	cmd := &cobra.Command{
		Use:   "review ID... [approve | reject | request-changes | revoke]",
		Short: "Decide on a proposal, with a signature",
		Long: `Review signs a decision on exactly what the proposal would change now, with an SSH
key that policies/roles.yaml lists, and files it.

Without a decision it shows on one screen what there is to decide: risk and why, what
the change newly needs, findings, what the raw text hides, tests, near-duplicates, who
must approve, until when, and the commands that decide on exactly this. -v leaves
nothing out and adds the difference.

A decision on several proposals is signed for each of them. One that is refused is named
and does not stop the others. -i goes through the proposals that wait for your review,
or those that you name, and asks at each one what to do.

A review stands while the change stays the same, survives a rebase, and is void as
soon as the content differs. Rejecting and requesting changes need a reason. Until
the merge, revoke takes back whatever you decided before, on any version.`,
		Example: `  assent review parse-csv-k3v9q2mt
  assent review parse-csv-k3v9q2mt approve -m "read it, ran the cases"
  assent review parse-csv-k3v9q2mt slugify-w8d2h6xa approve
  assent review parse-csv-k3v9q2mt revoke -m "one case was missing"
  assent review -i`,
		ValidArgsFunction: complete.Reviewed(c),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(args); err != nil {
				return err
			}
			switch {
			case o.step:
				return runReviewStep(cmd.Context(), c, o)
			case o.decision == "":
				return runReviewShow(cmd.Context(), c, o)
			}
			return runReview(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, as `TEXT`; needed to reject or request changes")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	cmd.Flags().StringVar(&o.head, "head", "", "sign only if the proposal is still at `COMMIT`: its whole hash, as review and show print it")
	cmd.Flags().BoolVarP(&o.all, "verbose", "v", false, "without a decision: show everything, and the difference")
	cmd.Flags().BoolVarP(&o.step, "interactive", "i", false, "go through what waits for you, and ask at each one")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check the key and the proposal, but sign nothing")
	return cmd
}

// parse takes the decision off the end of the arguments and checks what fits together.
func (o *reviewOptions) parse(args []string) error {
	o.ids, o.decision = args, ""
	if last := len(args) - 1; last > 0 && slices.Contains(review.Decisions(), review.Decision(args[last])) {
		o.ids, o.decision = args[:last], args[last]
	}
	switch {
	case o.step && o.decision != "":
		return console.Usage("-i asks for each decision: leave out %q", o.decision)
	case o.step && (o.reason != "" || o.head != "" || o.all):
		return console.Usage("-i asks for reasons and decides on what it shows: leave out --reason, --head and --verbose")
	case o.step:
		return nil
	case len(o.ids) == 0:
		return console.Usage("name a proposal; assent status --mine lists what waits for you, assent review -i goes through it")
	case o.head != "" && len(o.ids) > 1:
		return console.Usage("--head is the head of one proposal: review them one by one")
	case o.decision == "" && o.reason+o.head+o.key != "":
		return console.Usage("%s", "say what you decide: approve, reject, request-changes or revoke, after the ID")
	}
	return nil
}

// resolveAll finds the proposals that the arguments mean, each once.
func resolveAll(ctx context.Context, cur workspace.Session, ids []string) ([]forge.Pull, error) {
	var out []forge.Pull
	for i, id := range ids {
		pull, err := propose.Resolve(ctx, cur.Workspace, id)
		if errors.Is(err, forge.ErrNotFound) && i > 0 && i == len(ids)-1 {
			return nil, console.Usage("%q is neither a proposal nor a decision: approve, reject, request-changes or revoke", id)
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(p forge.Pull) bool { return p.ID == pull.ID }) {
			out = append(out, pull)
		}
	}
	return out, nil
}

func runReview(ctx context.Context, c *console.Console, o reviewOptions) error {
	d, err := decisionOf(o)
	if err != nil {
		return err
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	pulls, err := resolveAll(ctx, cur, o.ids)
	if err != nil {
		return err
	}
	// A decision is bound to a commit by its whole hash: anyone finds two commits whose hashes begin alike.
	//defence:decisions-name-whole-commits
	if head := pulls[0].Head; o.head != "" && !strings.EqualFold(o.head, head.String()) {
		return otherHead(pulls[0], o.head)
	}
	signer, err := console.OwnSigner(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	by := reviewer{c, cur, signer, o.dryRun}
	done, refused := []reviewedJSON{}, &refusals{of: len(pulls)}
	for _, pull := range pulls {
		seen := tree.Hash{}
		if o.head != "" { // and stays so while a passphrase is typed
			seen = pull.Head
		}
		out, err := by.decide(ctx, approve.Decision{Proposal: pull.ID, Head: seen, Decision: d, Reason: o.reason})
		if err = refused.add(pull.ID, err); err != nil {
			return err
		}
		if out.ID == "" {
			continue
		}
		done = append(done, out)
		if !c.JSON {
			by.print(out, d)
		}
	}
	if c.JSON && len(pulls) > 1 {
		err = c.Emit(reviewsJSON[reviewedJSON]{done})
	} else if c.JSON && len(done) == 1 {
		err = c.Emit(done[0])
	}
	return errors.Join(err, refused.failure())
}

// otherHead refuses a decision about a version that the proposal is not at.
func otherHead(pull forge.Pull, named string) error {
	id := names.ShellWord(pull.ID)
	if _, err := tree.ParseHash(named); err != nil {
		return &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("--head %.80q is no whole commit hash of %d digits: a shorter one can be that of another version, too", named, len(pull.Head.String())),
			Hint: "assent review " + id + " shows it as it is now, and prints the commands that decide on exactly that"}
	}
	return console.Refused("assent diff "+id+" shows it as it is now", "%s is not at %s any more: it moved to %s", pull.ID, named, pull.Head)
}

func decisionOf(o reviewOptions) (review.Decision, error) {
	for _, d := range review.Decisions() {
		if string(d) != o.decision {
			continue
		}
		reason := strings.TrimSpace(o.reason)
		if d.NeedsReason() && reason == "" {
			return "", console.Usage("say why: -m TEXT (--reason) is needed to %s", d)
		}
		if err := (review.Record{Decision: d, Reason: reason}).CheckReason(); err != nil {
			return "", console.Usage("--%w", err)
		}
		return d, nil
	}
	return "", console.Usage("unknown decision %q: approve, reject, request-changes or revoke", o.decision)
}
