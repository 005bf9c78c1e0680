package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

func newGC(c *console.Console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Propose to archive what nothing needs, to restore what matters again, and to settle conflicts",
		Long: `Gc looks at every deprecated or retired capability in force, and at those that agents made
and no trial used for longer than policies/retention.yaml says (unused:). A deprecated one
that has stayed as it is for longer than that file says (deprecated:), and that an active
one with all of its tests supersedes, is proposed for archiving if nothing in force requires,
calls or names it. So is a retired or an unused one, unless it alone has its tests. The
evidence is in the proposal. The others stay, and gc says why.

Missions propose capabilities made by agents, too: what they end worse with, what is shown
not to help, what the last missions_unlinked of them did not link, and, once agents made as
many as limits.yaml admits, the one with the lowest utility that nothing keeps
(assent stats --utility).

An archived capability is proposed for restoring when one in force requires it, or when a
test case matters again that nothing in force can be relied on for. Two active skills are
in conflict if one demands what the other forbids, or if missions end worse with both than
with either alone: then one proposal with all that was found asks to reword, limit or drop
the newer one, or the one that missions speak against.

Nothing counts as unused unless known installations recorded trials both before that
period and in it.

Nothing is removed by this: each proposal needs who must approve, and assent undo takes
a merged one back. What is proposed already, or was rejected or taken back for the same kind
of evidence, is not proposed again. Without --dry-run or --json, that is not repeated, nor what
stays for the same reasons as in the last run here. An open proposal is withdrawn when what
it says no longer holds, unless a person changed or reopened it. A workflow with uses: gc does the same on a schedule.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runGC(cmd.Context(), c, dryRun) },
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be proposed, but propose nothing")
	return cmd
}

func runGC(ctx context.Context, c *console.Console, dryRun bool) error {
	open := c.Joined
	if dryRun {
		open = c.Consulted
	}
	cur, err := open(ctx)
	if err != nil {
		return err
	}
	found, err := gc.Run(ctx, cur.Workspace, dryRun)
	err = errors.Join(err, sayUnnamed(c, cur))
	if c.JSON { // those before an error are valid, and proposed
		return errors.Join(err, c.Emit(append([]gc.Result{}, found...)))
	}
	known := map[string]bool{}
	if !dryRun {
		var kerr error
		if known, kerr = keptBefore(cur, found); kerr != nil {
			return errors.Join(err, kerr)
		}
	}
	silent := 0
	for _, r := range found {
		if line := keptLine(r); r.Outcome == gc.Settled && !dryRun || line != "" && known[line] { // it was decided or said, and needs no one
			silent++
			continue
		}
		printCollected(c, r)
	}
	switch {
	case err != nil:
	case len(found) == 0:
		c.Printf("nothing is deprecated, retired, known to be unused, of too low utility, in conflict, or to be restored\n")
	case len(found) == silent:
		c.Printf("nothing to propose: assent gc --dry-run also shows what was decided before, and what stays as in the last run\n")
	}
	return err
}

// keptLine is what gc says of a capability that stays, "" of any other.
func keptLine(r gc.Result) string {
	if r.Outcome != gc.Kept {
		return ""
	}
	return strings.Join(append([]string{r.Kind, r.Path}, r.Reasons...), "\x00")
}

// keptBefore returns what the last run in this clone said of capabilities that stay, and stores what this one says.
func keptBefore(cur workspace.Session, found []gc.Result) (map[string]bool, error) {
	const name, most = "gc-kept.json", 4 << 20
	store, now, before := home.At(filepath.Join(cur.Repo.CommonDir(), "assent")), map[string]bool{}, map[string]bool{}
	if data, err := store.Read(name, most); err == nil {
		_ = json.Unmarshal(data, &before) // a damaged file says that nothing was said
	}
	for _, r := range found {
		if line := keptLine(r); line != "" {
			now[line] = true
		}
	}
	data, err := json.Marshal(now)
	if err != nil {
		return nil, fmt.Errorf("store what stays: %w", err)
	}
	return before, store.Cache(name, data)
}

// sayUnnamed says how many installations gc leaves out, because policies do not name them.
func sayUnnamed(c *console.Console, cur workspace.Session) error {
	var r triallog.Reading
	if err := workspace.TrialsOf(cur).Refresh(&r); err != nil {
		return err
	}
	trust, unnamed := r.Trust(cur.Policies.Retention.Trials.Writers), 0
	for _, w := range r.Book.Writers() {
		if w != trust.Own && !slices.Contains(trust.Listed, w) {
			unnamed++
		}
	}
	if unnamed > 0 {
		c.Complain("%s the trials of %s count for nothing here: policies/retention.yaml does not name them under trials.writers (assent trial writers)",
			c.Style.Warn("note:"), console.Plural(unnamed, "other installation"))
	}
	return nil
}

func printCollected(c *console.Console, r gc.Result) {
	outcome := r.Outcome
	switch r.Outcome {
	case gc.Proposed:
		outcome = c.Style.Good(outcome)
	case gc.Would, gc.Withdrawn, gc.WouldWithdraw, gc.Unread:
		outcome = c.Style.Warn(outcome)
	}
	name := c.Style.Bold(console.OneLine(cmp.Or(r.Capability, r.Path)))
	if r.Other != "" {
		name += ", in conflict with " + c.Style.Bold(console.OneLine(r.Other))
	}
	if r.Proposal != "" {
		name += " as " + console.OneLine(r.Proposal)
	}
	c.Printf("%s %s\n", outcome, name)
	for _, reason := range r.Reasons {
		c.Printf("  %s\n", c.Style.Dim(console.OneLine(reason)))
	}
}
