package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/journal"
	"github.com/assent-dev/assent/engine/tree"
	"github.com/assent-dev/assent/engine/workspace"
)

func newClone(c *console) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "clone URL [DIR]",
		Short: "Clone a workspace, with the journals that a plain clone lacks",
		Long: `Clone runs git clone, so that your own credentials, ssh keys and proxies are used,
fetches the journals beside the branches, and makes later fetches bring them too.
Then it judges all of main and says what is in force.

What turns out to be no workspace stays as a plain clone.`,
		Example: `  assent clone git@example.org:team/agents.git
  assent clone ../agents copy`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) == 2 {
				dir = args[1]
			}
			return runClone(cmd.Context(), c, args[0], dir, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask the other side what there is to clone, but write nothing")
	return cmd
}

// cloneJSON is a workspace that was just cloned.
type cloneJSON struct {
	Dir       string              `json:"dir"`
	URL       string              `json:"url"`
	Workspace tree.Hash           `json:"workspace"`
	Main      tree.Hash           `json:"main"`
	InForce   tree.Hash           `json:"in_force"`
	Journals  int                 `json:"journals"`
	Blocked   []attest.Unattested `json:"blocked"`
	DryRun    bool                `json:"dry_run,omitempty"`
}

func runClone(ctx context.Context, c *console, from, dir string, dryRun bool) error {
	if err := checkAddress(from); err != nil {
		return err
	}
	if dir == "" {
		if dir = folderFor(from); dir == "" {
			return usage("%s does not say what the folder is to be called; name one: assent clone URL DIR", redacted(from))
		}
	}
	target := dir
	if !filepath.IsAbs(target) {
		target = filepath.Join(c.dir, dir)
	}
	if entries, err := os.ReadDir(target); err == nil && len(entries) > 0 {
		return usage("%s is there already and not empty; name another folder", dir)
	}
	if dryRun {
		return c.wouldClone(ctx, from, target)
	}
	args := []string{"clone", "--origin", "origin", "--no-recurse-submodules", "--", from, dir}
	if err := c.gitShown(ctx, c.dir, args...); err != nil {
		return fmt.Errorf("clone %s: %w", redacted(from), err)
	}
	cur, journals, err := c.settle(ctx, target)
	if err != nil {
		return err
	}
	out := cloneJSON{Dir: target, URL: redacted(from), Workspace: cur.Genesis, Main: cur.Main, InForce: cur.InForce, Journals: journals, Blocked: cur.Blocked}
	if out.Blocked == nil {
		out.Blocked = []attest.Unattested{}
	}
	if c.json {
		return c.emit(out)
	}
	c.printf("%s %s\n", c.style.good("workspace"), oneLine(out.Dir))
	c.field("id", out.Workspace.String())
	c.field("journals", fmt.Sprint(out.Journals))
	c.standing(cur)
	c.field("next", "assent -C "+oneLine(dir)+" status")
	return nil
}

// wouldClone asks the other side for its main and its journals.
func (c *console) wouldClone(ctx context.Context, from, target string) error {
	refs, err := c.git(ctx, c.dir, "ls-remote", "--", from, attest.MainRef, "refs/assent/*")
	if err != nil {
		return fmt.Errorf("ask %s: %w", redacted(from), err)
	}
	out := cloneJSON{Dir: target, URL: redacted(from), Blocked: []attest.Unattested{}, DryRun: true}
	for line := range strings.Lines(refs) {
		name, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch {
		case ref == attest.MainRef:
			if out.Main, err = tree.ParseHash(name); err != nil {
				return fmt.Errorf("ask %s: %w", redacted(from), err)
			}
		case strings.HasPrefix(ref, "refs/assent/"):
			out.Journals++
		}
	}
	if out.Main.IsZero() {
		return refused("assent clones workspaces; use git clone for other repositories", "%s has no branch main", redacted(from))
	}
	if c.json {
		return c.emit(out)
	}
	c.printf("%s %s would be cloned to %s: main at %s, %s\n", c.style.warn("dry run:"), oneLine(out.URL), oneLine(target),
		out.Main.Short(), plural(out.Journals, "journal"))
	return nil
}

// settle fetches the journals of a fresh clone and finds out what is in force.
func (c *console) settle(ctx context.Context, dir string) (workspace.Current, int, error) {
	repo, err := gitstore.Open(dir)
	if err != nil {
		return workspace.Current{}, 0, err
	}
	if err := c.mainBranch(ctx, repo, dir); err != nil {
		return workspace.Current{}, 0, err
	}
	if err := c.followJournals(ctx, repo); err != nil {
		return workspace.Current{}, 0, fmt.Errorf("the clone is in %s, but later fetches will lack the journals: %w", dir, err)
	}
	if err := c.gitShown(ctx, dir, "fetch", "--quiet", "--no-write-fetch-head", "origin", journalRefs); err != nil {
		return workspace.Current{}, 0, fmt.Errorf("the clone is in %s, but its journals could not be fetched: %w", dir, err)
	}
	if repo, err = gitstore.Open(dir); err != nil {
		return workspace.Current{}, 0, err
	}
	w := workspace.Of(repo, workspace.Surroundings{Now: c.world.Now, Random: c.world.Random})
	cur, err := w.Current(ctx)
	if errors.Is(err, attest.ErrNoGenesis) || errors.Is(err, attest.ErrNoMain) {
		return cur, 0, refused("the clone stays; assent init makes it a workspace", "%s was cloned into %s: %w", "the repository", dir, err)
	}
	if err != nil {
		return cur, 0, err
	}
	journals, err := journal.List(repo, "refs/assent/")
	return cur, len(journals), err
}

// mainBranch makes the branch main where the clone checked another one out.
func (c *console) mainBranch(ctx context.Context, repo *gitstore.Repo, dir string) error {
	_, err := repo.Ref(attest.MainRef)
	if !errors.Is(err, gitstore.ErrNoRef) {
		return err
	}
	if _, err := repo.Ref("refs/remotes/origin/main"); err != nil {
		return nil // there is none: said when what is in force is looked for
	}
	_, err = c.git(ctx, dir, "branch", "--track", "main", "origin/main")
	return err
}

// helper is what names a program that Git would run for a transport.
var helper = regexp.MustCompile(`^[A-Za-z0-9+.-]+::`)

// checkAddress refuses what Git would take for an option or a program.
func checkAddress(from string) error {
	switch {
	case from == "" || strings.HasPrefix(from, "-"):
		return usage("%q is no address to clone from", from)
	case strings.ContainsFunc(from, unicode.IsControl):
		return usage("%q holds a control character", from)
	case helper.MatchString(from):
		return usage("%q names a program as transport; use a path, file://, ssh or https", from)
	}
	return nil
}

// folderFor is the folder that git clone would choose.
func folderFor(from string) string {
	separators := "/"
	if filepath.Separator != '/' {
		separators += string(filepath.Separator)
	}
	from = strings.TrimRight(from, separators)
	from = strings.TrimSuffix(strings.TrimSuffix(from, "/.git"), ".git")
	from = from[strings.LastIndexAny(from, separators+":")+1:]
	if from == "." || from == ".." {
		return ""
	}
	return from
}

// redacted is an address without the password that may stand in it.
func redacted(from string) string {
	u, err := url.Parse(from)
	if err != nil || u.User == nil {
		return from
	}
	return u.Redacted()
}
