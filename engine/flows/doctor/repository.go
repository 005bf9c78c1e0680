package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitrun"
)

// checkRepository looks whether anything can be written to the Git folder.
func checkRepository(e *examination) {
	dir := e.w.Repo.CommonDir()
	if err := writable(dir); err != nil {
		e.warn("repository", "make it writable for you, or work in your own clone: assent clone "+names.ForShell(dir),
			"%s can be read and not written: nothing can be proposed, reviewed or merged (%v)", dir, err)
		return
	}
	e.ok("repository", "%s can be read and written", dir)
}

// checkIdentity checks that Git has a name and address for commits and proposals made here.
func checkIdentity(e *examination) {
	name, email := e.w.Repo.User()
	switch {
	case email == "":
		e.warn("identity", "git config user.email you@example.org", "git config user.email is not set: you can propose for agents only, and cannot create a workspace")
		return
	case name == "":
		e.warn("identity", "git config user.name 'YOUR NAME'", "git config user.name is not set: you can propose for agents only, and cannot create a workspace")
		return
	}
	e.ok("identity", "%s <%s>", name, email)
}

func checkHistory(e *examination) {
	_, err := os.Stat(filepath.Join(e.w.Repo.CommonDir(), "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		e.ok("history", "complete")
		return
	}
	e.fail("history", "git fetch --unshallow", "this is a shallow clone: what is in force cannot be proved without the missing commits")
}

func checkSettings(e *examination) {
	repo := e.w.Repo
	var notes []string
	if v := repo.Config("core.autocrlf"); strings.EqualFold(v, "true") {
		notes = append(notes, "core.autocrlf changes line ends in your checkout; what is in force is read from commits and stays as it is")
	}
	if v := repo.Config("core.ignorecase"); strings.EqualFold(v, "true") {
		notes = append(notes, "the file system ignores case; names that differ in case only are refused anyway")
	}
	if len(notes) == 0 {
		notes = []string{"nothing in the way"}
	}
	e.ok("settings", "%s", strings.Join(notes, "; "))
}

func checkHooks(e *examination) {
	repo := e.w.Repo
	dir := filepath.Join(repo.CommonDir(), "hooks")
	if path := repo.Config("core.hooksPath"); path != "" {
		dir = path
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		entries = nil // no folder, no hooks
	}
	n := 0
	for _, f := range entries {
		if !f.IsDir() && !strings.HasSuffix(f.Name(), ".sample") {
			n++
		}
	}
	if n == 0 {
		e.ok("hooks", "none")
		return
	}
	e.ok("hooks", "%s: assent runs none, git itself does", plural(n, "hook"))
}

// checkJournals looks at whether fetches bring the journals, and whether one could
// delete those that were not pushed yet.
func checkJournals(e *examination) {
	repo := e.w.Repo
	if repo.Config("remote.origin.url") == "" {
		return
	}
	follows, err := e.FetchesJournals(e.ctx, repo)
	switch {
	case errors.Is(err, gitrun.ErrNoGit):
		return
	case err != nil:
		e.broke("journals", err)
		return
	case !follows:
		e.warn("journals", "git config --add remote.origin.fetch "+names.ForShell(e.JournalRefs)+" && git config remote.origin.prune false",
			"fetching from origin does not bring the journals of proposals").
			by(func(ctx context.Context) error { return e.FollowJournals(ctx, repo) }, "make fetches bring them and never delete any")
		return
	}
	if forced, err := e.Git(e.ctx, repo.CommonDir(), "config", "--get-all", "remote.origin.fetch"); err == nil && strings.Contains(forced, "+"+e.JournalRefs) {
		e.warn("journals", "git config --replace-all remote.origin.fetch "+names.ForShell(e.JournalRefs)+" '^\\+refs/assent/'",
			"fetching from origin would replace journals that hold more here than there").
			by(setConfig(e, "--replace-all", "remote.origin.fetch", e.JournalRefs, `^\+refs/assent/`), "make fetches only add to them")
		return
	}
	prunes := repo.Config("remote.origin.prune")
	if prunes == "" {
		prunes = repo.Config("fetch.prune")
	}
	if strings.EqualFold(prunes, "true") {
		e.warn("journals", "git config remote.origin.prune false", "fetching from origin would delete journals that were not pushed yet").
			by(setConfig(e, "remote.origin.prune", "false"), "switch that off for origin")
		return
	}
	e.ok("journals", "fetching from origin brings them")
}

// setConfig changes the repository's own configuration.
func setConfig(e *examination, args ...string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := e.Git(ctx, e.w.Repo.CommonDir(), append([]string{"config"}, args...)...)
		return err
	}
}

// writable tries to write to a folder, which it makes when it is missing.
func writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
