package judging

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// ruleConflict is the finding of a head that cannot be merged.
const ruleConflict = "merge-conflict"

// defaultHead is merged by validate if no head is named.
const defaultHead = "HEAD"

type validateOptions struct {
	base, head, format, claimed string
	opinion                     bool
}

func newValidate(c *console.Console) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate [ID | BRANCH | --base REV [--head REV]]",
		Short: "Validate what merging one commit into another would bring",
		Long: `Validate computes the result of merging the head into the base and checks exactly
that, with the policies of the base: nothing that the head says can loosen them.
It is what continuous integration runs.

Of a proposal (ID), or of a BRANCH that none was made of yet, it validates what
merging it into main would bring. Where that edits policies, it tells beside the
report which past proposals they would have answered otherwise; as JSON, the report
is one of the fields then. With --opinion whoever opinion.yaml of your own folder names
is asked about the proposal, and the answer is recorded: it can raise what the gate asks
for and never lower it.

It ends with 0 when nothing is wrong, warnings included, and with 1 otherwise. The
same commits give the same bytes on the same day (waivers end on a day). As JSON it
is the text that the report's digest is of.

With --claimed it also compares a report that a run left which the change itself
could have altered, such as that of a workflow. Where the two do not agree, that is
a finding too; what is told is always what is found here.`,
		Example: `  assent validate parse-csv-k3v9q2mt
  assent validate --base refs/remotes/origin/main --head HEAD --format github
  assent validate --base refs/heads/main --head refs/heads/proposal/parse-csv-k3v9q2mt --format sarif > assent.sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return runValidateNamed(cmd.Context(), c, o, args[0])
			}
			return runValidate(cmd.Context(), c, o)
		},
		ValidArgsFunction: complete.First(complete.OpenProposals(c)),
	}
	cmd.Flags().StringVar(&o.base, "base", "", "the commit to merge into (`REV`)")
	cmd.Flags().StringVar(&o.head, "head", defaultHead, "the commit to merge (`REV`)")
	cmd.Flags().StringVar(&o.claimed, "claimed", "", "compare the report (as JSON) that a run left in `FILE`")
	cmd.Flags().BoolVar(&o.opinion, "opinion", false, "ask for a second opinion on proposal ID, too, and record it")
	addFormatFlag(cmd, &o.format)
	return cmd
}

func runValidate(ctx context.Context, c *console.Console, o validateOptions) error {
	if o.opinion {
		return console.Usage("an opinion is recorded with a proposal: assent validate ID --opinion")
	}
	if o.base == "" {
		return console.Usage("name a proposal or a branch to validate, or what to compare with: --base REV")
	}
	w, err := c.Open()
	if err != nil {
		return err
	}
	base, err := console.CommitOf(w, o.base)
	if err != nil {
		return err
	}
	head, err := console.CommitOf(w, o.head)
	if err != nil {
		return err
	}
	report, err := validation(ctx, w, base, head)
	if err != nil {
		return err
	}
	if o.claimed != "" {
		found, err := compareClaim(ctx, c, w, base, head, o.claimed, report)
		if err != nil {
			return err
		}
		report.Diagnostics.Add(found...)
		report.Diagnostics.Sort()
		report.Passed = !report.Diagnostics.HasErrors()
	}
	return printReport(c, o.format, report)
}

// validation is the report on merging head into base, by the policies of base.
func validation(ctx context.Context, w *workspace.Workspace, base, head tree.Hash) (validate.Report, error) {
	cur, err := asBase(ctx, w, base)
	if err != nil {
		return validate.Report{}, err
	}
	if err := workspace.Readable(cur.Policies); err != nil {
		return validate.Report{}, err
	}
	result, err := w.Result(base, head)
	if errors.Is(err, gitstore.ErrNoObject) {
		return validate.Report{}, &console.Failure{Code: console.ExitUsage, Err: fmt.Errorf("the history here is too short to merge %s into %s: %w", head.Short(), base.Short(), err), Hint: "git fetch --unshallow"}
	}
	if err != nil {
		return validate.Report{}, err
	}
	if len(result.Conflicts) > 0 {
		return conflicted(cur, head, result), nil
	}
	merged, err := cur.See(result.Tree)
	if err != nil {
		return validate.Report{}, err
	}
	in := cur.Input(merged, w.Now())
	in.Stopped, in.Branch = ctx.Err, w.History().Branch(result.MergeBase, head)
	if in.Worktree, err = governsNothing(cur.View, merged); err != nil {
		return validate.Report{}, err
	}
	outcome, err := validated(in)
	return outcome.Report, err
}

// asBase returns the workspace as it would be with base in force. If base is in force, the kept
// index is used instead of a temporary one; the answers are the same.
func asBase(ctx context.Context, w *workspace.Workspace, base tree.Hash) (workspace.Session, error) {
	if cur, err := w.Session(ctx); err == nil && cur.InForce == base && cur.Main == base {
		return cur, nil
	}
	return w.At(attest.Standing{Main: base, InForce: base})
}

// governsNothing reports whether a change stays outside the governed folders: then
// there is nothing to propose, and no proposal is asked for.
func governsNothing(base, head tree.View) (bool, error) {
	var areas []string
	for _, a := range names.GovernedAreas() {
		areas = append(areas, string(a))
	}
	changes, err := tree.Diff(base, head, areas...)
	return len(changes) == 0, err
}

// conflicted is the report on a head that does not merge.
func conflicted(cur workspace.Session, head tree.Hash, result workspace.Result) validate.Report {
	r := validate.Report{V: validate.ReportVersion, Engine: version.Engine, Base: cur.View.Tree().String(), Files: []validate.File{}}
	for _, f := range result.Conflicts {
		r.Diagnostics.Errorf(ruleConflict, diag.Pos{File: f.Path}, "bring the branch up to date: assent rebase ID, or git rebase",
			"the base and %s both changed the file since %s", head.Short(), result.MergeBase.Short())
	}
	r.Diagnostics.Sort()
	return r
}
