package proposals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/agents/skillsync"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// mergeOptions say how a proposal is merged.
type mergeOptions struct {
	dryRun bool
	// local merges here only, where others share a remote.
	local bool
	// anyway merges although the run that makes the proposal is at work.
	anyway bool
}

func newMerge(c *console.Console) *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge ID",
		Short: "Merge a proposal that the gate allows: then it is in force",
		Long: `Merge computes the result of merging into main as it is now, validates exactly
that, asks the gate with the policies in force, and moves main to it in one step.
When main moved meanwhile, everything is done again. In a clone, what the remote has is
taken in first, and main moves there and here together; --local merges here only, and
assent push publishes it. Tests that security.yaml asks for
are run before, in the sandbox, unless they were on this machine. With git config assent.merge set to
service or queue, the service is asked to merge it, and that is attested.

A proposal that a run still works on is not merged (exit code 1). With --anyway it is,
and the run fails.

Where the key that you sign with is listed in policies/roles.yaml, the attestation of
the merge is signed with it. With ASSENT_AGENT set it has to be that agent's key.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMerge(cmd.Context(), c, args[0], o)
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether it would merge by the local state, but move nothing")
	cmd.Flags().BoolVar(&o.anyway, "anyway", false, "merge although a run still works on it; the run then fails")
	cmd.Flags().BoolVar(&o.local, "local", false, "merge in this clone only, and ask no remote")
	return cmd
}

func runMerge(ctx context.Context, c *console.Console, id string, o mergeOptions) error {
	w, err := c.Join(ctx)
	if err != nil {
		return err
	}
	cur, shared, err := readyToMerge(ctx, c, w, id, o)
	if err != nil {
		return err
	}
	pull, err := propose.Resolve(ctx, w, id)
	if err != nil {
		return err
	}
	if err := unfinished(ctx, cur, pull, o); err != nil {
		return notMerged(err, pull.ID, shared)
	}
	out, err := merge.Run(ctx, w, pull.ID, console.Acting(c, cur), o.dryRun)
	if err != nil {
		return notMerged(err, pull.ID, shared)
	}
	if out.Merged && !o.dryRun {
		defer output.TidyByTheWay(ctx, c, cur)
	}
	shared = shared && out.Merged
	v := output.ProposalOf(out.Examined)
	if err := errors.Join(v.NameWeak(cur, out.Examined), v.NameMaker(cur)); err != nil {
		return err
	}
	v.DryRun = o.dryRun
	if v.Next == "assent merge "+names.ShellWord(v.ID) { // this command: the reason says what to do first
		v.Next = ""
	}
	switch {
	case c.JSON:
		var synced []skillsync.Plan
		if out.Merged && !o.dryRun {
			synced = console.Synced(ctx, c)
		}
		return emitMerge(c, v, out, shared, synced)
	case out.Merged:
		printMerged(c, v, out, shared)
		return nil
	}
	return printUnmerged(c, v, out)
}

// unfinished refuses what the gate allows and a run still works on, unless the user insists. The gate has no such rule:
// anyone who can push can write a run.
func unfinished(ctx context.Context, cur workspace.Session, pull forge.Pull, o mergeOptions) error {
	if o.anyway || pull.State != forge.Open {
		return nil
	}
	maker, err := task.MakerOf(cur, pull.ID)
	if err != nil || maker == nil || len(maker.Open) == 0 {
		return err
	}
	if out, err := merge.Run(ctx, cur.Workspace, pull.ID, forge.Actor{}, true); err != nil || out.Refused != "" {
		return err // the merge says why
	}
	return &console.Failure{
		Code: console.ExitFindings, Err: fmt.Errorf("%s is not merged: %s", pull.ID, maker.Text()),
		Hint: "wait for it: " + maker.Show() + "; or merge it unfinished, and the run fails: assent merge " + names.ShellWord(pull.ID) + " --anyway",
	}
}

// readyToMerge records this session's own pushes and, unless the merge is local or a dry run,
// fetches from the remote; see share. An error of the local state is reported before the remote is
// asked, unless this clone is only behind.
func readyToMerge(ctx context.Context, c *console.Console, w *workspace.Workspace, id string, o mergeOptions) (cur workspace.Session, shared bool, err error) {
	cur, err = w.Session(ctx)
	asks := !o.local && !o.dryRun
	if err != nil && !(asks && errors.Is(err, attest.ErrRollback)) {
		return cur, false, err
	}
	if known, rerr := propose.Resolve(ctx, w, id); rerr == nil && err == nil && !o.dryRun {
		if err := propose.TakeOwn(ctx, cur, console.Acting(c, cur), known.ID); err != nil {
			return cur, false, err
		}
	}
	if !asks {
		return cur, false, nil
	}
	if shared, err = share(ctx, c, w); err != nil {
		return cur, false, err
	}
	cur, err = w.Session(ctx)
	return cur, shared, err
}

// notMerged adds the way out to an error of a merge.
func notMerged(err error, id string, shared bool) error {
	var faster *forge.ErrStale
	switch {
	case errors.As(err, &faster):
		return console.Refused("nothing is lost; once the others are done: assent merge "+names.ShellWord(id), "%s", err)
	case shared && errors.Is(err, hub.ErrProtected):
		return console.Refused(console.Declined(err)+"; assent merge "+names.ShellWord(id)+" --local merges in this clone only", "%s does not merge on %s: %s", id, console.DefaultRemote, err)
	}
	return err
}

func printMerged(c *console.Console, v output.Proposal, out merge.Outcome, shared bool) {
	how := "it is in force"
	if out.Before {
		how = "it was already"
	}
	c.Printf("%s %s as %s: %s\n", c.Style.Good("merged"), console.OneLine(v.ID), out.Commit.Short(), how)
	if !out.Made.IsZero() {
		c.Field("made by", "the service; assent attested it afterwards")
	}
	if out.Signer != "" {
		c.Field("attested", "signed with "+string(out.Signer))
	} else {
		c.Field("attested", c.Style.Warn("NOT signed")+": no key that "+policy.RolesFile+" lists could sign here; only the journal says that it was allowed")
	}
	if shared && !out.Before {
		c.Field("published", "main moved on "+console.DefaultRemote+" as well")
	}
	printFollowUp(c, v.Diagnostics)
	output.PrintCheckout(c, out.Worktree, out.WorktreeErr)
	if out.WorktreeErr != nil && !errors.Is(out.WorktreeErr, gitrun.ErrNoGit) {
		c.Progress("until the checkout follows, git commit -a there would revert the merge; it follows with the next merge, or with: assent merge %s", names.ShellWord(console.OneLine(v.ID)))
	}
}

// printUnmerged shows why a proposal is not merged (yet).
func printUnmerged(c *console.Console, v output.Proposal, out merge.Outcome) error {
	switch {
	case out.Queued:
		c.Printf("%s %s: the service merges it when its conditions are met, and a pass of assent reconcile or assent serve attests it\n", c.Style.Good("queued"), console.OneLine(v.ID))
		return nil
	case out.Refused == "":
		c.Printf("%s %s would merge\n", c.Style.Warn("dry run:"), console.OneLine(v.ID))
		return nil
	case !out.Made.IsZero():
		return console.Refused("revert it: git revert (for a merge commit -m 1) "+out.Made.String()+"; then assent withdraw "+names.ShellWord(v.ID)+", and propose it again",
			"%s was merged by the service itself, and is not in force: %s", v.ID, out.Refused)
	}
	output.PrintProposal(c, v)
	why := out.Refused
	for _, s := range v.Checks { // printed above, with how it failed
		short, _, _ := strings.Cut(s.Reason, ":")
		why = strings.ReplaceAll(why, s.Text(), "the check "+s.Name+" "+short)
	}
	return console.Refused(v.Next, "%s does not merge: %s", v.ID, why)
}

// printFollowUp reports that a merged repair leaves a question about skills.
func printFollowUp(c *console.Console, found diag.List) {
	if slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Rule == validate.RuleSuperseded }) {
		c.Field("follow-up", "skills apply to the superseded tool: assent reconcile asks whether to keep, archive or revise them")
	}
}

// share fetches from the remote of a clone, and lets the merge be made there and here together.
// shared is false without a remote, or if the forge shares merges itself.
func share(ctx context.Context, c *console.Console, w *workspace.Workspace) (shared bool, err error) {
	if w.Forge.Traits().Remote != "" || !console.HasRemote(w) {
		return false, nil
	}
	err = exchange.Share(ctx, w, exchange.Options{Remote: console.DefaultRemote, Say: func(line string) { c.Progress("%s", console.OneLine(line)) }})
	for _, away := range []error{remote.ErrAway, remote.ErrCertificate, remote.ErrLogin, remote.ErrGone} {
		if errors.Is(err, away) {
			return false, console.Refused("try again when it can be reached; with --local it is merged in this clone only, and assent push publishes it later",
				"nothing was merged: %s", err)
		}
	}
	if err != nil {
		return false, console.ExchangeFailed(err)
	}
	return true, nil
}

func emitMerge(c *console.Console, v output.Proposal, out merge.Outcome, shared bool, synced []skillsync.Plan) error {
	err := c.Emit(struct {
		output.Proposal
		Merged  bool   `json:"merged"`
		Queued  bool   `json:"queued"`
		Refused string `json:"refused"`
		// Signer is the key that signed the attestation, "" if it is unsigned.
		Signer review.Fingerprint `json:"signer"`
		// Shared reports that main also moved on the remote.
		Shared bool `json:"shared"`
		// Checkout says why the checkout of main did not follow, "" if it did.
		Checkout string `json:"checkout"`
		// Synced are the clients' folders of skills that changed.
		Synced []skillsync.Plan `json:"synced,omitempty"`
	}{v, out.Merged, out.Queued, out.Refused, out.Signer, shared, console.Sentence(out.WorktreeErr), synced})
	if err == nil && out.Refused != "" {
		return &console.Failure{Code: console.ExitRefused, Err: errors.New(v.ID + " does not merge: " + out.Refused), Hint: v.Next, Diags: v.Diagnostics}
	}
	return err
}
