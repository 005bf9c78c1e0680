package begin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/cli/output"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func newClone(c *console.Console) *cobra.Command {
	var dryRun bool
	var anchor string
	cmd := &cobra.Command{
		Use:   "clone URL [DIR]",
		Short: "Clone a workspace, with the journals that a plain clone lacks",
		Long: `Clone runs git clone, so that your own credentials, ssh keys and proxies are used,
fetches the journals beside the branches, and makes later fetches bring them too.
Then it judges all of main and says what is in force.

A first clone has only the hub's word for where main ends. --checkpoint holds it against
what somebody else saw: an anchor, as assent push prints it, or the file of a signed
checkpoint. If main does not contain that and have it in force, nothing is kept.

What turns out to be no workspace stays as a plain clone.`,
		Example: `  assent clone git@example.org:team/agents.git
  assent clone ../agents copy
  assent clone ../agents --checkpoint ~/kept/2026-03-10.checkpoint`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) == 2 {
				dir = args[1]
			}
			if anchor == "" && cmd.Flags().Changed("checkpoint") { // an unset variable must not mean "unchecked"
				return console.Usage("--checkpoint is empty: %w", checkpoint.ErrAnchor)
			}
			return runClone(cmd.Context(), c, args[0], dir, anchor, dryRun)
		},
	}
	cmd.Flags().StringVar(&anchor, "checkpoint", "", "keep the clone only if it goes on from `ANCHOR`: WORKSPACE@COMMIT, or the file of a checkpoint")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask the other side what there is to clone, but write nothing")
	return cmd
}

// cloneJSON is a workspace that was just cloned.
type cloneJSON struct {
	Dir        string                 `json:"dir"`
	URL        string                 `json:"url"`
	Workspace  tree.Hash              `json:"workspace"`
	Main       tree.Hash              `json:"main"`
	InForce    tree.Hash              `json:"in_force"`
	Journals   int                    `json:"journals"`
	Blocked    []attest.Unattested    `json:"blocked"`
	Unproposed []workspace.Unproposed `json:"unproposed,omitempty"`
	Elsewhere  []elsewhereJSON        `json:"elsewhere"`
	LeftOut    leftOut                `json:"left_out"`
	Anchor     *anchorJSON            `json:"anchor,omitempty"`
	Trusted    bool                   `json:"trusted"`
	DryRun     bool                   `json:"dry_run,omitempty"`
}

// elsewhereJSON is a proposal whose journal says that a commit merged it which main does not have.
type elsewhereJSON struct {
	ID     string    `json:"id"`
	Commit tree.Hash `json:"commit"`
}

func runClone(ctx context.Context, c *console.Console, from, dir, given string, dryRun bool) error {
	if err := checkAddress(from); err != nil {
		return err
	}
	var anchor *anchorJSON
	if given != "" {
		var err error
		if anchor, err = readAnchor(ctx, c, given); err != nil {
			return err
		}
	}
	if dir == "" {
		if dir = folderFor(from); dir == "" {
			return console.Usage("%s does not say what the folder is to be called; name one: assent clone URL DIR", redacted(from))
		}
	}
	target := dir
	if !filepath.IsAbs(target) {
		target = filepath.Join(c.Dir, dir)
	}
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return console.Usage("%s is there already and not empty; name another folder", dir)
	}
	if dryRun {
		return printPlan(ctx, c, from, target, anchor)
	}
	var left leftOut
	w, err := cloneTo(ctx, c, &left, from, dir, target, anchor)
	if err != nil {
		return err
	}
	cur, journals, err := settleClone(ctx, w, target)
	var stopped *attest.Broken
	if errors.As(err, &stopped) { // the clone stays, so that its fault can be examined
		err = nil
	}
	if err != nil {
		return err
	}
	out := cloneJSON{Dir: target, URL: redacted(from), Workspace: cur.Genesis, Main: cur.Main, InForce: cur.InForce, Journals: journals, Blocked: cur.Blocked, LeftOut: append(leftOut{}, left...), Anchor: anchor}
	if out.Blocked == nil {
		out.Blocked = []attest.Unattested{}
	}
	if out.Unproposed, err = workspace.ListUnproposed(ctx, cur, tree.Hash{}); err != nil {
		return err
	}
	if out.Elsewhere, err = elsewhere(ctx, w); err != nil {
		return err
	}
	if stopped == nil {
		// The address may come from a project's file, so this accepts neither code without isolation nor addresses.
		if err := keys.Trust(cur.ID(), keys.Isolated); err != nil {
			return err
		}
		if out.Trusted, err = console.Trusted(cur); err != nil {
			return err
		}
	}
	if c.JSON {
		err = c.Emit(out)
		if err == nil && stopped != nil {
			err = stopped
		}
		return err
	}
	c.Printf("%s %s\n", c.Style.Good("workspace"), console.OneLine(out.Dir))
	c.Field("id", out.Workspace.String())
	c.Field("journals", fmt.Sprint(out.Journals))
	output.PrintStanding(c, cur)
	output.PrintUnproposed(c, out.Unproposed)
	for _, e := range out.Elsewhere {
		c.Field("missing", fmt.Sprintf("%s was merged as %s, says its journal, and main does not have that: main was rolled back, or the journal is false; ask, and see assent audit verify", console.OneLine(e.ID), e.Commit.Short()))
	}
	printAnchor(c, anchor)
	if stopped == nil {
		printAccepted(c, cur, out.Trusted, dir)
	}
	c.Field("next", "assent -C "+names.ForShell(dir)+" status")
	if stopped != nil {
		return stopped
	}
	return nil
}

// printAccepted shows whose signatures decide in a workspace, and what its code may do here.
func printAccepted(c *console.Console, cur workspace.Session, trusted bool, dir string) {
	for _, line := range console.TrustLines(cur) {
		c.Field(line[0], line[1])
	}
	if !trusted {
		c.Field("", "until you accept this, its code is isolated here, and nothing is sent to its addresses: assent -C "+names.ForShell(dir)+" trust")
	}
}

// cloneMain clones only main, and then the branches and tags that can be fetched. Git abandons a
// clone because of one ref that names a missing or broken object.
func cloneMain(ctx context.Context, c *console.Console, left *leftOut, from, dir, target string) error {
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return errors.New("the folder is not empty")
	}
	args := []string{"clone", "--quiet", "--no-checkout", "--origin", "origin", "--no-recurse-submodules", "--single-branch", "--no-tags", "--branch", "main", "--", from, dir}
	if err := console.GitShown(ctx, c, gitrun.Call{Dir: c.Dir, Reach: gitrun.Outside, Args: args}); err != nil {
		return err
	}
	for _, args := range [][]string{{"--replace-all", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"}, {"--unset", "remote.origin.tagOpt"}} {
		if _, err := console.Git(ctx, target, append([]string{"config"}, args...)...); err != nil {
			return err
		}
	}
	repo, err := gitstore.Open(target)
	if err != nil {
		return err
	}
	return left.note(c, remote.FetchBranches(ctx, repo, "origin"))
}

// checkOut writes the files of a fresh clone, if all of them are there and they are not more
// than any workspace has. A few small objects can stand for billions of files or bytes.
func checkOut(ctx context.Context, c *console.Console, target string) error {
	repo, err := gitstore.Open(target)
	if err != nil {
		return nil //nolint:nilerr // the fault is reported when the commit in force is looked up
	}
	head, err := repo.Ref("HEAD")
	if errors.Is(err, gitstore.ErrNoRef) {
		return nil // an empty repository
	}
	var view *gitstore.Snapshot
	if err == nil {
		view, err = repo.Snapshot(head)
	}
	if err == nil {
		err = tree.Files(view, "", repo.Weigh().Add)
	}
	if err != nil {
		c.Complain("%s no file is checked out: %s", c.Style.Warn("warning:"), console.OneLine(err.Error()))
		return nil
	}
	return console.GitShown(ctx, c, gitrun.Call{Dir: target, Args: []string{"reset", "--hard", "--quiet"}})
}

// leftOut are refs of the remote that could not be fetched.
type leftOut []string

// note reports such refs, which are no failure.
func (l *leftOut) note(c *console.Console, err error) error {
	var partly *remote.Partly
	if !errors.As(err, &partly) {
		return err
	}
	*l = append(*l, partly.Refs...)
	c.Complain("%s %s", c.Style.Warn("warning:"), console.OneLine(partly.Error()))
	return nil
}

// cloneAll clones main and every branch and tag that can be fetched.
func cloneAll(ctx context.Context, c *console.Console, left *leftOut, from, dir, target string) error {
	// Git copies the refs of a folder unread. One that names no readable commit would be copied,
	// too, and fail every later fetch, also that of the journals.
	//defence:broken-branches-stay-behind
	if isFolder(c.Dir, from) && hasMain(ctx, c, from) {
		return cloneMain(ctx, c, left, from, dir, target)
	}
	args := []string{"clone", "--no-checkout", "--origin", "origin", "--no-recurse-submodules", "--", from, dir}
	err := console.GitShown(ctx, c, gitrun.Call{Dir: c.Dir, Reach: gitrun.Outside, Args: args})
	if err != nil && cloneMain(ctx, c, left, from, dir, target) == nil {
		return nil
	}
	return err
}

// hasMain reports whether a remote has a branch main.
func hasMain(ctx context.Context, c *console.Console, from string) bool {
	refs, err := console.GitCall(ctx, gitrun.Call{Dir: c.Dir, Reach: gitrun.Outside, Args: []string{"ls-remote", "--", from, attest.MainRef}})
	return err == nil && refs != ""
}

// gitClone clones into dir, relative to the program's folder, and checks out the workspace's
// files.
func gitClone(ctx context.Context, c *console.Console, left *leftOut, from, dir string) error {
	target := dir
	if !filepath.IsAbs(target) {
		target = filepath.Join(c.Dir, dir)
	}
	if err := cloneAll(ctx, c, left, from, dir, target); err != nil {
		return fmt.Errorf("clone %s: %w", redacted(from), err)
	}
	// A hub chooses its HEAD; the commit in force is on main.
	if _, err := console.Git(ctx, target, "rev-parse", "--verify", "--quiet", "refs/remotes/origin/main"); err == nil {
		_, _ = console.Git(ctx, target, "branch", "--track", "main", "refs/remotes/origin/main") // it may be there
		if _, err := console.Git(ctx, target, "symbolic-ref", "HEAD", attest.MainRef); err != nil {
			return err
		}
	}
	return checkOut(ctx, c, target)
}

// printPlan asks the other side for its main and its journals.
func printPlan(ctx context.Context, c *console.Console, from, target string, anchor *anchorJSON) error {
	refs, err := console.GitCall(ctx, gitrun.Call{Dir: c.Dir, Reach: gitrun.Outside, Args: []string{"ls-remote", "--", from, attest.MainRef, "refs/assent/*"}})
	if err != nil {
		return fmt.Errorf("ask %s: %w", redacted(from), err)
	}
	out := cloneJSON{Dir: target, URL: redacted(from), Blocked: []attest.Unattested{}, Anchor: anchor, Elsewhere: []elsewhereJSON{}, LeftOut: leftOut{}, DryRun: true}
	for line := range strings.Lines(refs) {
		name, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch {
		case ref == attest.MainRef:
			if out.Main, err = tree.ParseHash(name); err != nil {
				return fmt.Errorf("ask %s: %w", redacted(from), err)
			}
		case workspace.Shared(ref):
			out.Journals++
		}
	}
	if out.Main.IsZero() {
		return console.Refused("assent clones workspaces; use git clone for other repositories", "%s has no branch main", redacted(from))
	}
	if c.JSON {
		return c.Emit(out)
	}
	c.Printf("%s %s would be cloned to %s: main at %s, %s\n", c.Style.Warn("dry run:"), console.OneLine(out.URL), console.OneLine(target),
		out.Main.Short(), console.Plural(out.Journals, "journal"))
	if anchor != nil {
		c.Field("anchor", anchor.String()+", which a clone is held against")
	}
	return nil
}

// cloneTo makes the clone with its journals, held against an anchor if there is one.
func cloneTo(ctx context.Context, c *console.Console, left *leftOut, from, dir, target string, anchor *anchorJSON) (*workspace.Workspace, error) {
	if anchor != nil {
		return cloneAnchored(ctx, c, left, from, target, anchor)
	}
	if err := gitClone(ctx, c, left, from, dir); err != nil {
		return nil, err
	}
	return fetchRecord(ctx, c, left, target)
}

// settleClone observes a fresh clone, and counts its journals. The error may be an *attest.Broken,
// with which the clone stays.
func settleClone(ctx context.Context, w *workspace.Workspace, dir string) (workspace.Session, int, error) {
	cur, stopped, err := w.Look(ctx)
	if errors.Is(err, attest.ErrNoGenesis) || errors.Is(err, attest.ErrNoMain) {
		return cur, 0, console.Refused("the clone stays; assent init makes it a workspace", "%s was cloned into %s: %w", "the repository", dir, err)
	}
	if err != nil {
		return cur, 0, err
	}
	journals, err := journal.List(w.Repo, "refs/assent/")
	if err == nil && stopped != nil {
		err = stopped
	}
	return cur, len(journals), err
}

// elsewhere lists the proposals that were merged by commits which main does not have.
func elsewhere(ctx context.Context, w *workspace.Workspace) ([]elsewhereJSON, error) {
	out := []elsewhereJSON{}
	found, err := audit.Elsewhere(ctx, w)
	for _, p := range found {
		out = append(out, elsewhereJSON{p.ID, p.Claimed})
	}
	return out, err
}

// fetchRecord completes a fresh clone: the branch main, and the journals.
func fetchRecord(ctx context.Context, c *console.Console, left *leftOut, dir string) (*workspace.Workspace, error) {
	repo, err := gitstore.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := mainBranch(ctx, repo, dir); err != nil {
		return nil, err
	}
	if err := console.FollowJournals(ctx, repo); err != nil {
		return nil, fmt.Errorf("the clone is in %s, but later fetches will lack the journals: %w", dir, err)
	}
	if err := left.note(c, remote.FetchJournals(ctx, repo, "origin", workspace.Shared)); err != nil {
		return nil, fmt.Errorf("the clone is in %s, but its journals could not be fetched: %w", dir, err)
	}
	if repo, err = gitstore.Open(dir); err != nil {
		return nil, err
	}
	return workspaceOf(c, repo), nil
}

func workspaceOf(c *console.Console, repo *gitstore.Repo) *workspace.Workspace {
	return workspace.Of(repo, workspace.Surroundings{Now: c.World.Now, Random: c.World.Random})
}

// mainBranch makes the branch main where the clone checked another one out.
func mainBranch(ctx context.Context, repo *gitstore.Repo, dir string) error {
	_, err := repo.Ref(attest.MainRef)
	if !errors.Is(err, gitstore.ErrNoRef) {
		return err
	}
	if _, err := repo.Ref("refs/remotes/origin/main"); err != nil {
		return nil // there is no main: reported when the commit in force is looked up
	}
	_, err = console.Git(ctx, dir, "branch", "--track", "main", "refs/remotes/origin/main")
	return err
}
