package begin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/flows/actions"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// githubOptions are those of init that concern GitHub.
type githubOptions struct {
	wanted        bool
	login, engine string
	app           int64
}

func (o *githubOptions) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.wanted, "github", false, "add the workflows that validate pull requests on GitHub, and what belongs to them")
	cmd.Flags().StringVar(&o.login, "login", "", "your account on GitHub is `NAME`; with --github")
	cmd.Flags().StringVar(&o.engine, "engine", "", "let the workflows run the engine of this `COMMIT` of assent (default: the one that this program was built from; where its build does not say which, GitHub is asked); with --github")
	cmd.Flags().Int64Var(&o.app, "app", 0, "the `NUMBER` of the GitHub App that acts for the engine: only its status counts then; with --github")
}

// check refuses invalid combinations, and fills in the engine's commit.
func (o *githubOptions) check(ctx context.Context, c *console.Console) error {
	if !o.wanted {
		if o.login != "" || o.engine != "" || o.app != 0 {
			return console.Usage("--login, --engine and --app belong to --github")
		}
		return nil
	}
	if o.login != "" && !actions.IsAccount(o.login) {
		return console.Usage("--login %q is no name of an account on GitHub", o.login)
	}
	if o.app < 0 {
		return console.Usage("--app %d: the number of an App is above 0; its settings on GitHub show it", o.app)
	}
	if o.engine == "" {
		commit, find := engineOf(console.BuildInfo())
		if commit == "" {
			commit = askedEngine(ctx, c, console.BuildInfo().Main.Version)
		}
		if o.engine = commit; commit == "" {
			return &console.Failure{Code: console.ExitUsage, Err: errors.New("this build does not say which commit of assent it is, and GitHub could not be asked; name the one that the workflows shall run: --engine COMMIT"), Hint: find}
		}
	}
	if !actions.IsCommit(o.engine) {
		return console.Usage("--engine %s: the engine is named by a commit, as 40 hexadecimal digits: a branch or a tag can move", o.engine)
	}
	return nil
}

// engineRepository is where the workflows get the engine from.
const engineRepository = "https://github.com/assent-dev/assent"

// engineAnswer is how long that is waited for.
const engineAnswer = 20 * time.Second

// askedEngine asks the repository for the commit of a build's version, or for the newest if the
// build has none; "" if nothing fits or there is no answer. It reports the choice.
func askedEngine(ctx context.Context, c *console.Console, built string) string {
	ctx, stop := context.WithTimeout(ctx, engineAnswer)
	defer stop()
	refs, err := console.GitCall(ctx, gitrun.Call{Dir: c.Dir, Reach: gitrun.Outside, Args: []string{"ls-remote", "--", engineRepository}})
	if err != nil {
		return ""
	}
	commit := engineAmong(refs, built)
	if commit != "" {
		c.Progress("the workflows run assent of commit %s of %s; --engine COMMIT names another", commit, engineRepository)
	}
	return commit
}

// engineAmong finds the commit of a build's version in the output of git ls-remote.
func engineAmong(refs, built string) string {
	begins, newest := pseudo.FindStringSubmatch(built), !strings.HasPrefix(built, "v")
	found := ""
	for line := range strings.Lines(refs) {
		commit, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		switch {
		case !actions.IsCommit(commit):
		case begins != nil && strings.HasPrefix(commit, begins[1]),
			begins == nil && ref == "refs/tags/"+built+"^{}",
			begins == nil && ref == "refs/tags/"+built && found == "",
			newest && ref == "HEAD":
			found = commit
		}
	}
	return found
}

// pseudo matches the version of a build from an untagged commit: its last part begins the hash.
var pseudo = regexp.MustCompile(`[-.][0-9]{14}-([0-9a-f]{12})(\+dirty)?$`)

// engineOf returns the commit that a program was built from; if its build does not record that,
// find says how to find it.
func engineOf(info *debug.BuildInfo) (commit, find string) {
	if commit, _ = console.Revision(info); actions.IsCommit(commit) {
		return commit, ""
	}
	const lsRemote = "git ls-remote " + engineRepository + " "
	built := info.Main.Version
	if begins := pseudo.FindStringSubmatch(built); begins != nil {
		return "", "it was built from " + begins[1] + ": git rev-parse " + begins[1] + " in a clone of assent prints all of it"
	}
	if strings.HasPrefix(built, "v") {
		return "", lsRemote + "'refs/tags/" + built + "*' prints it (the line with ^{}, if there are two)"
	}
	return "", "git rev-parse HEAD in the folder that it was built from; or for the newest: " + lsRemote + "HEAD"
}

// files returns the files for a workspace; exists reads its tree.
func (o *githubOptions) files(owners []string, exists func(path string) (bool, error)) ([]tree.Edit, error) {
	opts := actions.Options{Engine: o.engine, Version: version.Engine, Owners: owners, App: o.app}
	for _, folder := range []string{"engine", "cmd"} { // which the policies count as judging code
		there, err := exists(folder)
		if err != nil {
			return nil, err
		}
		if there {
			opts.Guarded = append(opts.Guarded, folder)
		}
	}
	return actions.Files(opts)
}

// begunWithGitHub are the files for a workspace that begins now, in a repository that
// may hold some already.
func begunWithGitHub(c *console.Console, w *workspace.Workspace, o githubOptions) ([]tree.Edit, error) {
	view := tree.View(tree.NewMap())
	tip, err := w.Repo.Ref(attest.MainRef)
	switch {
	case errors.Is(err, gitstore.ErrNoRef):
	case err != nil:
		return nil, fmt.Errorf("read main: %w", err)
	default:
		commit, err := w.Repo.Commit(tip)
		if err != nil {
			return nil, fmt.Errorf("read main: %w", err)
		}
		if view, err = w.Repo.Snapshot(commit.Tree); err != nil {
			return nil, fmt.Errorf("read main: %w", err)
		}
	}
	var owners []string
	if o.login != "" {
		owners = []string{o.login}
	}
	files, err := filesForGitHub(c, o, owners, func(path string) (bool, error) { return tree.Exists(view, path) })
	warnInTheWay(c, files, view.Read)
	return files, err
}

// warnInTheWay names workflows of the user's own that stand where ours would.
func warnInTheWay(c *console.Console, files []tree.Edit, read func(path string) ([]byte, error)) {
	for _, f := range files {
		there, err := read(f.Path)
		if err == nil && actions.IsWorkflow(f.Path) && !actions.IsOurs(there) {
			c.Progress("%s is a workflow of your own and stays: what docs/actions.md says of that file is not done; rename yours, and run assent init --github once more", f.Path)
		}
	}
}

// filesForGitHub are all files, whether they are there or not. Code owners elsewhere
// would no longer count beside ours, so ours are left out then.
func filesForGitHub(c *console.Console, o githubOptions, owners []string, exists func(path string) (bool, error)) ([]tree.Edit, error) {
	files, err := o.files(owners, exists)
	if err != nil {
		return nil, err
	}
	kept, err := actions.HasCodeOwners(exists)
	if err != nil {
		return nil, err
	}
	if len(owners) == 0 && kept == "" {
		c.Progress("no approver in policies/roles.yaml has an account on GitHub (logins: {github: NAME}), so there is no %s", actions.CodeOwnersFile)
	}
	return slices.DeleteFunc(files, func(f tree.Edit) bool {
		return f.Path == actions.CodeOwnersFile && kept != "" && kept != actions.CodeOwnersFile
	}), nil
}

// addGitHub writes the files that the worktree of a workspace lacks. The gate governs none of
// them: the user commits them, as any code.
func addGitHub(c *console.Console, cur workspace.Session, o initOptions) error {
	if o.github.login != "" {
		return console.Usage("--login is for a workspace that begins; write logins: {github: %s} into %s and propose that", o.github.login, policy.RolesFile)
	}
	if cur.Repo.Bare() {
		return console.Usage("the repository has no worktree to write into; go into a clone of it")
	}
	root, err := os.OpenRoot(cur.Repo.Root())
	if err != nil {
		return fmt.Errorf("open the worktree: %w", err)
	}
	defer root.Close()
	var failed error
	exists := func(path string) bool {
		_, err := root.Lstat(filepath.FromSlash(path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
		return err == nil
	}
	files, err := filesForGitHub(c, o.github, actions.Owners(cur.Policies.Roles, cur.Now()), func(path string) (bool, error) { return exists(path), failed })
	if err != nil {
		return err
	}
	warnInTheWay(c, files, func(path string) ([]byte, error) { return root.ReadFile(filepath.FromSlash(path)) })
	missing := slices.DeleteFunc(files, func(f tree.Edit) bool { return exists(f.Path) })
	if failed != nil {
		return fmt.Errorf("look at the existing files: %w", failed)
	}
	if err := writeNew(cur.Repo.Root(), missing, o.dryRun); err != nil {
		return err
	}
	return printAddedGitHub(c, addedJSON{Dir: cur.Repo.Root(), Files: paths(missing), DryRun: o.dryRun}, missing)
}

// addedJSON is the JSON of init --github in an existing workspace.
type addedJSON struct {
	Dir    string   `json:"dir"`
	Files  []string `json:"files"`
	DryRun bool     `json:"dry_run,omitempty"`
}

func printAddedGitHub(c *console.Console, out addedJSON, missing []tree.Edit) error {
	if c.JSON {
		return c.Emit(out)
	}
	if len(missing) == 0 {
		c.Printf("all files for GitHub are there already; remove one to have it written again\n")
		return nil
	}
	for _, f := range missing {
		if out.DryRun {
			c.Printf("%s %s\n%s", c.Style.Warn("would write"), f.Path, f.Content)
		} else {
			c.Printf("%s %s\n", c.Style.Good("wrote"), f.Path)
		}
	}
	if !out.DryRun {
		c.Field("next", "git add .github; git commit; and see docs/actions.md for the ruleset")
	}
	return nil
}
