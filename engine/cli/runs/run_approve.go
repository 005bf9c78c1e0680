package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// approveOptions are the flags of deciding about a job.
type approveOptions struct {
	run, job, reason, key string
	reject, dryRun        bool
}

func newRunApprove(c *console.Console) *cobra.Command {
	var o approveOptions
	cmd := &cobra.Command{
		Use:   "approve ID [JOB]",
		Short: "Approve or reject a job that waits for a person, with a signature",
		Long: `Approve signs that a run may go on, with an SSH key that policies/roles.yaml lists for a
person in the role that the job asks for, and goes on with the run. JOB may be left out if
one job of the run waits.

The signature is for this run and the results before the job: assent run show ID shows them.
With a remote, the decision is recorded there and here together; --local records it here only,
until assent push.`,
		Example: `  assent run approve deploy-k3v9q2mt
  assent run approve deploy-k3v9q2mt ship --reject -m "the tests are too few"`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.run = args[0]
			if len(args) == 2 {
				o.job = args[1]
			}
			return runRunApprove(cmd.Context(), c, o)
		},
	}
	cmd.Flags().BoolVar(&o.reject, "reject", false, "reject it: the job and its run fail")
	cmd.Flags().StringVarP(&o.reason, "reason", "m", "", "why, as `TEXT`; needed to reject")
	cmd.Flags().StringVar(&o.key, "key", "", "sign with the SSH key in `FILE`, or with the ssh-agent's (agent)")
	localFlag(cmd, c)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check the key and the job, but sign nothing")
	return cmd
}

// ruledJSON is a decision about a job.
type ruledJSON struct {
	Job      string          `json:"job"`
	Decision review.Decision `json:"decision"`
	By       string          `json:"by"`
	DryRun   bool            `json:"dry_run"`
	Run      workJSON        `json:"run"`
}

func runRunApprove(ctx context.Context, c *console.Console, o approveOptions) error {
	v := ruledJSON{Decision: review.Approve, DryRun: o.dryRun}
	if o.reject {
		v.Decision = review.Reject
	}
	reason := strings.TrimSpace(o.reason)
	if o.reject && reason == "" {
		return console.Usage("say why: -m TEXT (--reason) is needed to reject")
	}
	if err := (review.Record{Decision: v.Decision, Reason: reason}).CheckReason(); err != nil {
		return console.Usage("--%w", err)
	}
	cur, err := joined(ctx, c, o.dryRun)
	if err != nil {
		return err
	}
	id, err := cur.Runs.Resolve(bare(o.run), true)
	if err != nil {
		return ofTask(err, "")
	}
	if v.Job, err = waitingJob(cur, id, o.job); err != nil {
		return err
	}
	signer, err := console.OwnSigner(c, cur, o.key)
	if err != nil {
		return err
	}
	defer signer.Close()
	s, who, err := task.Rule(ctx, cur, task.Ruling{Run: id, Job: v.Job, Reject: o.reject, Reason: reason, Signer: signer, DryRun: o.dryRun})
	var unlisted *approve.NotListed
	switch {
	case errors.As(err, &unlisted):
		return console.Refused("assent keys lists the keys that count", "%s", err)
	case err != nil:
		return ofTask(err, id)
	}
	v.By = who.Name
	return printRuled(ctx, c, cur, v, s)
}

// waitingJob returns the job to decide on: the given one, or the only one that waits for an approval.
func waitingJob(cur workspace.Session, id, job string) (string, error) {
	s, err := cur.Runs.Read(id)
	if err != nil || job != "" {
		return job, ofTask(err, id)
	}
	var found []string
	for _, name := range sorted(s.Jobs) {
		if j := s.Jobs[name]; j.Approve && j.Status == run.Waiting && s.Outcome == "" || j.Lapsed() {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", ofTask(fmt.Errorf("no job of %s waits for an approval: %w", id, task.ErrOver), id)
	}
	return "", console.Usage("%s: name one of %s", id, console.OneLine(strings.Join(found, ", ")))
}

// printRuled goes on with the run and shows it.
func printRuled(ctx context.Context, c *console.Console, cur workspace.Session, v ruledJSON, s run.State) error {
	went := task.Advanced{State: s}
	if !v.DryRun {
		var err error
		if went, err = task.Advance(ctx, cur.Workspace, s.ID); err != nil {
			return err
		}
	}
	v.Run = runView(went.State, cur.Now()).placed(c, cur)
	switch verb := map[review.Decision]string{review.Approve: "approve", review.Reject: "reject"}[v.Decision]; {
	case c.JSON:
		if err := c.Emit(v); err != nil {
			return err
		}
	case v.DryRun:
		c.Printf("%s would %s %s of %s; nothing is signed\n", console.OneLine(v.By), verb, console.OneLine(v.Job), c.Style.Bold(console.OneLine(s.ID)))
	default:
		c.Printf("%s %ss %s of %s\n", console.OneLine(v.By), verb, console.OneLine(v.Job), c.Style.Bold(console.OneLine(s.ID)))
		printSteps(c, cur.Policies.Roles, went)
		printWhere(c, cur, false)
	}
	if v.Decision == review.Reject {
		return nil
	}
	return endedBadly(went.State)
}
