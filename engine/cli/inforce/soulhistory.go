package inforce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/markup"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/complete"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/provenance"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// soulVersion is one content that a SOUL.md had in force.
type soulVersion struct {
	Number   int       `json:"version"` // from 1, the oldest
	Commit   tree.Hash `json:"commit"`
	Date     time.Time `json:"date"`
	Subject  string    `json:"subject"`
	Proposal string    `json:"proposal"`
	Blob     tree.Hash `json:"blob"`
	// Sections whose text differs from the version before.
	Sections []string `json:"sections"`
}

// versions lists the versions of an agent's SOUL.md on main, the newest first.
func versions(cur workspace.Session, file string) ([]soulVersion, error) {
	var out []soulVersion
	var later *soulVersion
	err := cur.Repo.Lineage(cur.InForce, func(commit gitstore.Commit) (bool, error) {
		view, err := cur.Repo.Snapshot(commit.Tree)
		if err != nil {
			return false, err
		}
		e, err := view.Lookup(file)
		if gitstore.IsBadObject(err) { // such a commit was blocked
			return true, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if later != nil && later.Blob != e.Hash {
			out = append(out, *later)
		}
		later = &soulVersion{
			Commit: commit.Hash, Date: commit.Committer.When, Subject: commit.Subject(),
			Proposal: attest.ProposalNamed(commit), Blob: e.Hash, Sections: []string{},
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", file, err)
	}
	if later != nil {
		out = append(out, *later)
	}
	out = slices.DeleteFunc(out, func(v soulVersion) bool { return v.Blob.IsZero() })
	for i := range out {
		out[i].Number = len(out) - i
		var before tree.Hash
		if i+1 < len(out) {
			before = out[i+1].Blob
		}
		if out[i].Sections, err = sectionsChanged(cur.Workspace, before, out[i].Blob); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sectionsChanged names the sections whose own text differs between two blobs, blank
// lines around it aside.
func sectionsChanged(w *workspace.Workspace, before, after tree.Hash) ([]string, error) {
	old, err := sectionsOf(w, before)
	if err != nil {
		return nil, err
	}
	now, err := sectionsOf(w, after)
	if err != nil {
		return nil, err
	}
	out := []string{}
	for _, s := range now.order {
		if text, ok := old.text[s]; !ok || !bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(now.text[s])) {
			out = append(out, s)
		}
	}
	for _, s := range old.order {
		if _, ok := now.text[s]; !ok {
			out = append(out, s+" (removed)")
		}
	}
	return out, nil
}

type sectionTexts struct {
	order []string
	text  map[string][]byte
}

func sectionsOf(w *workspace.Workspace, blob tree.Hash) (sectionTexts, error) {
	out := sectionTexts{text: map[string][]byte{}}
	if blob.IsZero() {
		return out, nil
	}
	src, err := w.Repo.Blob(blob)
	if err != nil {
		return out, err
	}
	sections, _ := markup.Sections(src)
	for _, s := range sections {
		if _, again := out.text[s.Title]; !again {
			out.order = append(out.order, s.Title)
		}
		out.text[s.Title] = append(out.text[s.Title], s.Own.Of(src)...)
	}
	return out, nil
}

func newSoulHistory(c *console.Console) *cobra.Command {
	return &cobra.Command{
		Use:               "history AGENT",
		Short:             "The versions that a soul had in force, the newest first",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Agents(c)),
		RunE:              func(cmd *cobra.Command, args []string) error { return runSoulHistory(cmd.Context(), c, args[0]) },
	}
}

func runSoulHistory(ctx context.Context, c *console.Console, agent string) error {
	cur, err := c.Current(ctx)
	if err != nil {
		return err
	}
	list, err := versionsOf(cur, agent)
	if err != nil {
		return err
	}
	if c.JSON {
		return c.Emit(list)
	}
	for _, v := range list {
		c.Printf("%s  %s  %s  %s\n", c.Style.Bold(fmt.Sprintf("%3d", v.Number)), v.Date.UTC().Format(time.DateOnly), v.Commit.Short(), console.OneLine(v.Subject))
		for _, s := range v.Sections {
			c.Printf("       %s\n", c.Style.Dim(console.OneLine(s)))
		}
	}
	c.Field("next", "assent soul restore "+names.ShellWord(console.OneLine(agent))+" --to VERSION")
	return nil
}

// versionsOf is versions for an agent that has a soul, or had one.
func versionsOf(cur workspace.Session, agent string) ([]soulVersion, error) {
	if !names.IsName(agent) {
		_, err := soulOf(cur, agent)
		return nil, err
	}
	list, err := versions(cur, "soul/"+agent+"/SOUL.md")
	if err == nil && len(list) == 0 {
		_, err = soulOf(cur, agent)
	}
	return list, err
}

type restoreOptions struct {
	soul, to, goal, agent string
	dryRun                bool
}

func newSoulRestore(c *console.Console) *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore AGENT --to VERSION | COMMIT",
		Short: "Propose to bring back an earlier version of a soul",
		Example: `  assent soul history scout
  assent soul restore scout --to 3`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: complete.First(complete.Agents(c)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.soul = args[0]
			return runSoulRestore(cmd.Context(), c, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "the `VERSION`: its number in the history, or a commit of main")
	cmd.Flags().StringVar(&o.goal, "goal", "", "what it is for, in one `LINE`")
	complete.AgentFlag(cmd, c, &o.agent)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "validate and judge, but write nothing")
	return cmd
}

func runSoulRestore(ctx context.Context, c *console.Console, o restoreOptions) error {
	if o.to == "" {
		return console.Usage("name the version with --to; assent soul history %s lists them", names.ShellWord(o.soul))
	}
	cur, err := c.Joined(ctx)
	if err != nil {
		return err
	}
	list, err := versionsOf(cur, o.soul)
	if err != nil {
		return err
	}
	v, err := chosen(cur, list, o)
	if err != nil {
		return err
	}
	src, err := cur.Repo.Blob(v.Blob)
	if err != nil {
		return err
	}
	r, err := console.Proposer(cur, o.agent, o.dryRun)
	if err != nil {
		return err
	}
	if o.goal == "" {
		o.goal = fmt.Sprintf("restore the soul of %s as it was on %s", o.soul, v.Date.UTC().Format(time.DateOnly))
	}
	r.Origin = provenance.Origin{Way: provenance.History}
	r.Edits = []tree.Edit{{Path: "soul/" + o.soul + "/SOUL.md", Content: src}}
	r.Proposal = proposal.Proposal{
		Kind: proposal.Restore, Goal: o.goal,
		Body: fmt.Sprintf("# Why\n\n%s: version %d, of commit %s.\n", o.goal, v.Number, v.Commit),
	}
	out, err := propose.Open(ctx, cur.Workspace, r)
	if err != nil {
		return err
	}
	return output.PrintOutcome(c, cur.Workspace, out, nil, o.dryRun)
}

// chosen is the version of that number, or the one in force at that commit.
func chosen(cur workspace.Session, list []soulVersion, o restoreOptions) (soulVersion, error) {
	if n, err := strconv.Atoi(o.to); err == nil {
		for _, v := range list {
			if v.Number == n {
				return v, nil
			}
		}
	}
	commit, err := console.CommitOf(cur.Workspace, o.to)
	if err != nil {
		return soulVersion{}, console.Usage("%q is neither a version of the soul of %s nor a commit; assent soul history %s lists them", o.to, o.soul, names.ShellWord(o.soul))
	}
	if in, err := cur.Repo.IsAncestor(commit, cur.InForce); err != nil || !in {
		return soulVersion{}, errors.Join(err, console.Usage("commit %s was never in force", commit.Short()))
	}
	view, err := cur.Repo.Snapshot(commit)
	if err != nil {
		return soulVersion{}, err
	}
	e, err := view.Lookup("soul/" + o.soul + "/SOUL.md")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return soulVersion{}, err
	}
	for _, v := range list {
		if err == nil && v.Blob == e.Hash {
			return v, nil
		}
	}
	return soulVersion{}, console.Usage("the soul of %s was not in force at %s; assent soul history %s lists its versions", o.soul, commit.Short(), names.ShellWord(o.soul))
}
