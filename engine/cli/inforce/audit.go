package inforce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newAudit(c *console.Console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Prove from history that everything in force was allowed",
	}
	cmd.AddCommand(newVerify(c), newCheckpoint(c))
	return cmd
}

func newVerify(c *console.Console) *cobra.Command {
	var checkpoints []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Walk all of history and judge every merge again",
		Long: `Verify begins at the signed genesis commit and judges every merge again, under the
policies that were in force before it, without any cache: signatures of reviews,
reports, verdicts, journals, and what this machine saw before. It stops at the first
thing that does not hold and ends with exit code 3.

A checkpoint that was kept elsewhere is a witness: main and every journal must
continue what it saw.`,
		Example: `  assent audit verify
  assent audit verify --checkpoint ~/kept/2026-03.checkpoint`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runVerify(cmd.Context(), c, checkpoints) },
	}
	cmd.Flags().StringArrayVar(&checkpoints, "checkpoint", nil, "hold the record against the checkpoint in `FILE`; can be given several times")
	return cmd
}

// manyCommits is the number of commits from which verify reports progress.
const manyCommits = 200

// verifyProgress reports the progress of a walk to a person.
func verifyProgress(c *console.Console) audit.Progress {
	reported := 0
	return func(done, total int) {
		if total > manyCommits && done >= reported+manyCommits {
			reported = done
			c.Progress("%d of %d commits", done, total)
		}
	}
}

func runVerify(ctx context.Context, c *console.Console, files []string) error {
	witnesses, err := readWitnesses(ctx, c, files)
	if err != nil {
		return err
	}
	w, err := c.Open()
	if err != nil {
		return err
	}
	res, err := audit.Verify(ctx, w, verifyProgress(c), witnesses...)
	if errors.Is(err, attest.ErrNoGenesis) { // with the journals of one, it was a workspace
		if pulls, listErr := w.Record.List(ctx, forge.Filter{}); listErr != nil || len(pulls) > 0 {
			return console.Refused("git reflog show main names who moved it; compare with another clone or a backup",
				"main does not go back to a genesis commit, but the journals of a workspace are here: main was replaced")
		}
	}
	if err != nil {
		return err
	}
	if c.JSON {
		if err := c.Emit(res); err != nil {
			return err
		}
		if res.Broken != nil {
			return console.Quiet(console.ExitRefused)
		}
		return nil
	}
	if res.Broken != nil {
		return printBroken(c, res)
	}
	printVerified(c, res)
	return nil
}

// maxUnproven bounds how many merges without a signature are listed.
const maxUnproven = 5

// attestedText says how many merges are unsigned.
func attestedText(r audit.Result) string {
	switch {
	case r.Merges == 0:
		return "nothing was merged yet"
	case r.Unsigned == 0:
		return "every merge is signed for"
	case r.Signed == 0:
		return "no merge is signed for: no key was configured; their dates are unproven"
	}
	return fmt.Sprintf("%d of %s signed for; when the others happened is the journals' word", r.Signed, console.Plural(r.Merges, "merge"))
}

func readWitnesses(ctx context.Context, c *console.Console, files []string) ([]audit.Witness, error) {
	var out []audit.Witness
	for _, file := range files {
		text, err := console.ReadFile(ctx, c, file, console.MaxFile)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, console.Usage("there is no checkpoint %s", file)
		}
		if err != nil {
			return nil, console.Unread("the checkpoint", err)
		}
		out = append(out, audit.Witness{Name: file, Text: text})
	}
	return out, nil
}

// printBroken names the first place that does not hold.
func printBroken(c *console.Console, r audit.Result) error {
	b := *r.Broken
	c.Printf("%s %s\n", c.Style.Bad("the record does not hold"), c.Style.Dim("["+b.Rule+"]"))
	if !b.Commit.IsZero() {
		c.Field("commit", b.Commit.String())
	}
	c.Optional("proposal", b.Proposal)
	for i, ref := range b.Refs {
		name := ""
		if i == 0 {
			name = "refs"
		}
		c.Field(name, console.OneLine(ref))
	}
	for _, other := range r.Others {
		c.Field("also", console.OneLine(fmt.Sprintf("[%s] %s", other.Rule, other.Reason)))
	}
	return console.Refused(b.Fix, "%s", b.Reason)
}

func printVerified(c *console.Console, r audit.Result) {
	c.Printf("%s main at %s, since %s\n", c.Style.Good("the record holds:"), r.Main.Short(), r.Workspace.Short())
	c.Field("commits", fmt.Sprintf("%d, including %s", r.Commits, console.Plural(r.Merges, "merge")))
	var tiers []string
	for _, t := range []policy.Tier{policy.Low, policy.Medium, policy.High, policy.Critical} {
		if n := r.ByTier[t.String()]; n > 0 {
			tiers = append(tiers, fmt.Sprintf("%d %s", n, t))
		}
	}
	c.Field("attested", attestedText(r))
	for i, u := range r.Unproven {
		if i == maxUnproven {
			c.Field("note", fmt.Sprintf("and %d more unsigned ones; --json names them all", len(r.Unproven)-i))
			break
		}
		c.Field("note", console.OneLine(fmt.Sprintf("%s: its merge as %s is unsigned", u.Proposal, u.Commit.Short())))
	}
	c.Optional("by risk", strings.Join(tiers, ", "))
	c.Field("journals", fmt.Sprintf("%d, with %s", r.Journals, console.Plural(r.Reviews, "signed review")))
	if r.OtherEngines > 0 {
		c.Field("note", console.Plural(r.OtherEngines, "merge")+" validated by another version of assent: judged again by today's rules, reports not compared")
	}
	for _, e := range r.Excepted {
		c.Field("excepted", console.OneLine(e.Proposal+": "+e.Note))
	}
	for _, a := range r.Reanchored {
		c.Field("re-anchored", console.OneLine(fmt.Sprintf("by %s on %s, under the key %s of %s: every key before it is revoked (%s)", a.Commit.Short(), a.At.UTC().Format(time.DateOnly), a.Key, a.By, a.Reason)))
	}
	for _, d := range r.Doubtful {
		c.Field("doubtful", console.OneLine(d.Proposal+": "+output.ReliedText(d)))
	}
	for _, w := range r.Witnesses {
		c.Field("witness", console.OneLine(fmt.Sprintf("%s of %s, main at %s, signed by %s", w.Name, w.At.Format(time.DateTime), w.Main.Short(), w.Signer)))
	}
	for _, s := range r.Reservations {
		c.Field("note", console.OneLine(s.Proposal+": "+s.Note))
	}
	for _, u := range r.Unrecorded {
		c.Field("note", console.OneLine(strings.TrimPrefix(u.Proposal+": "+u.Note, ": ")))
	}
	for _, u := range r.Resolved {
		c.Field("note", console.OneLine(fmt.Sprintf("%s (%s) was made past the gate, and adopted or taken back since", u.Commit.Short(), u.Subject)))
	}
}
