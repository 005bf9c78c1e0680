package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
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
}

func newMerge(c *console) *cobra.Command {
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

Where the key that you sign with is listed in policies/roles.yaml, the attestation of
the merge is signed with it. With ASSENT_AGENT set it has to be that agent's key.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMerge(cmd.Context(), c, args[0], o)
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say whether it would merge by what is known here, but move nothing")
	cmd.Flags().BoolVar(&o.local, "local", false, "merge in this clone only, and ask no remote")
	return cmd
}

func runMerge(ctx context.Context, c *console, id string, o mergeOptions) error {
	dryRun := o.dryRun
	w, err := c.join(ctx)
	if err != nil {
		return err
	}
	// What cannot be read here is said before anybody is asked; a clone that is behind is not that.
	cur, err := w.Session(ctx)
	asks := !o.local && !dryRun
	if err != nil && !(asks && errors.Is(err, attest.ErrRollback)) {
		return err
	}
	shared := false
	if asks {
		if shared, err = c.share(ctx, w); err != nil {
			return err
		}
		if cur, err = w.Session(ctx); err != nil {
			return err
		}
	}
	pull, err := propose.Resolve(ctx, w, id)
	if err != nil {
		return err
	}
	out, err := merge.Run(ctx, w, pull.ID, c.acting(cur), dryRun)
	var faster *forge.ErrStale
	if errors.As(err, &faster) {
		return refused("nothing is lost; once the others are done: assent merge "+pull.ID, "%s", err)
	}
	if shared && errors.Is(err, hub.ErrProtected) {
		return refused("let somebody merge who may push there; assent merge "+pull.ID+" --local merges in this clone only", "%s does not merge on %s: %s", pull.ID, defaultRemote, err)
	}
	if err != nil {
		return err
	}
	if out.Merged && !dryRun {
		defer c.tidyByTheWay(ctx, cur)
	}
	shared = shared && out.Merged
	v := viewOf(out.Examined)
	v.DryRun = dryRun
	if v.Next == "assent merge "+v.ID { // which this is: the reason says what to do first
		v.Next = ""
	}
	if c.json {
		return c.mergeJSON(v, out, shared)
	}
	switch {
	case out.Merged:
		how := "it is in force"
		if out.Before {
			how = "it was already"
		}
		c.printf("%s %s as %s: %s\n", c.style.good("merged"), oneLine(v.ID), out.Commit.Short(), how)
		if !out.Made.IsZero() {
			c.field("made by", "the service; assent attested it afterwards")
		}
		if out.Signer != "" {
			c.field("attested", "signed with "+string(out.Signer))
		} else {
			c.field("attested", c.style.warn("NOT signed")+": no key that "+policy.RolesFile+" lists could sign here; only the journal says that it was allowed")
		}
		if shared && !out.Before {
			c.field("published", "main moved on "+defaultRemote+" as well")
		}
		c.leftToAsk(v.Diagnostics)
		c.worktree(out.Worktree, out.WorktreeErr)
		if out.WorktreeErr != nil && !errors.Is(out.WorktreeErr, gitrun.ErrNoGit) {
			c.progress("until the checkout follows, git commit -a there would take the merge back; it follows with the next merge, or with: assent merge %s", oneLine(v.ID))
		}
		return nil
	case out.Queued:
		c.printf("%s %s: the service merges it when what it waits for is there, and a pass of assent reconcile or assent serve attests it\n", c.style.good("queued"), oneLine(v.ID))
		return nil
	case out.Refused == "":
		c.printf("%s %s would merge\n", c.style.warn("dry run:"), oneLine(v.ID))
		return nil
	}
	if !out.Made.IsZero() {
		return refused("take it back: git revert (of a merge commit -m 1) "+out.Made.Short()+"; then assent withdraw "+v.ID+", and propose it again",
			"%s was merged by the service itself, and is in force for nobody: %s", v.ID, out.Refused)
	}
	c.proposal(v)
	return refused(v.Next, "%s does not merge: %s", v.ID, out.Refused)
}

// leftToAsk says that a repair that was merged leaves a question about skills.
func (c *console) leftToAsk(found diag.List) {
	if slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Rule == validate.RuleSuperseded }) {
		c.field("follow-up", "skills apply to what it supersedes: assent reconcile asks whether to keep, archive or revise them")
	}
}

// share fetches from the remote of a clone, and lets the merge be made there and here
// together. shared is false without a remote, or if the forge does that by itself.
func (c *console) share(ctx context.Context, w *workspace.Workspace) (shared bool, err error) {
	if w.Forge.Traits().Remote != "" || !hasRemote(w) {
		return false, nil
	}
	err = exchange.Share(ctx, w, exchange.Options{Remote: defaultRemote, Say: func(line string) { c.progress("%s", oneLine(line)) }})
	for _, away := range []error{remote.ErrAway, remote.ErrLogin, remote.ErrGone} {
		if errors.Is(err, away) {
			return false, refused("try again when it can be reached; with --local it is merged in this clone only, and assent push publishes it later",
				"nothing was merged: %s", err)
		}
	}
	if err != nil {
		return false, c.exchanged(err)
	}
	return true, nil
}

func (c *console) mergeJSON(v proposalJSON, out merge.Outcome, shared bool) error {
	err := c.emit(struct {
		proposalJSON
		Merged  bool   `json:"merged"`
		Queued  bool   `json:"queued"`
		Refused string `json:"refused"`
		// Signer is whose key signed the attestation, "" where nobody did.
		Signer review.Fingerprint `json:"signer"`
		// Shared says that main moved on the remote as well.
		Shared bool `json:"shared"`
		// Checkout says why the checkout of main did not follow, "" where it did.
		Checkout string `json:"checkout"`
	}{v, out.Merged, out.Queued, out.Refused, out.Signer, shared, sentence(out.WorktreeErr)})
	if err == nil && out.Refused != "" {
		return &failure{code: exitRefused, err: errors.New(v.ID + " does not merge: " + out.Refused), hint: v.Next, diags: v.Diagnostics}
	}
	return err
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return oneLine(err.Error())
}

// worktree tells what became of the user's checkout.
func (c *console) worktree(r gitstore.Refresh, err error) {
	if errors.Is(err, gitrun.ErrNoGit) {
		c.progress("your checkout of main still shows the old files: the git program is not installed")
		return
	}
	if err != nil {
		c.progress("your checkout of main could not follow (%v); nothing is lost: git status shows the difference", err)
		return
	}
	for _, k := range r.Kept {
		why := k.Why
		if why == "staged" {
			why = "no longer staged"
		}
		c.printf("  %s %s stays as you left it (%s); git diff shows how it differs from what is in force\n",
			c.style.warn("kept"), oneLine(k.Path), why)
		if !k.Staged.IsZero() {
			c.printf("    what you had staged of it is in no file; this prints it: git cat-file blob %s\n", k.Staged)
		}
	}
}
