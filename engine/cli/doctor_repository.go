package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// repositoryHealth looks at the Git repository.
func (c *console) repositoryHealth(ctx context.Context, e *examination, w *workspace.Workspace) {
	e.ok("repository", "%s can be read and written", w.Repo.CommonDir())
	e.shallow(w.Repo)
	e.locks(w.Repo)
	e.settings(w.Repo)
	e.hooks(w.Repo)
	c.originHealth(ctx, e, w.Repo)
}

func (e *examination) shallow(repo *gitstore.Repo) {
	_, err := os.Stat(filepath.Join(repo.CommonDir(), "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		e.ok("history", "all of it is here")
		return
	}
	e.fail("history", "git fetch --unshallow", "this is a shallow clone: what is in force cannot be proved without the rest")
}

// staleAfter is the age from which on a lock was left by a process that died:
// locks are held for milliseconds.
const staleAfter = time.Minute

func (e *examination) locks(repo *gitstore.Repo) {
	locks, err := repo.StaleLocks()
	if err != nil {
		e.broke("locks", err)
		return
	}
	stale := 0
	for _, l := range locks {
		if l.Age < staleAfter {
			continue
		}
		stale++
		e.warn("locks", "if no Git program is running here: rm '"+l.Path+"'", "%s was left %s ago", l.Path, l.Age.Truncate(time.Second))
	}
	if stale == 0 {
		e.ok("locks", "none is stale")
	}
}

func (e *examination) settings(repo *gitstore.Repo) {
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

func (e *examination) hooks(repo *gitstore.Repo) {
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

// originHealth looks at whether fetches bring the journals, and whether one could
// delete those that were not pushed yet.
func (c *console) originHealth(ctx context.Context, e *examination, repo *gitstore.Repo) {
	if repo.Config("remote.origin.url") == "" {
		return
	}
	follows, err := c.fetchesJournals(ctx, repo)
	switch {
	case errors.Is(err, gitstore.ErrNoGit):
		return
	case err != nil:
		e.broke("journals", err)
		return
	case !follows:
		e.warn("journals", "git config --add remote.origin.fetch '"+journalRefs+"' && git config remote.origin.prune false",
			"fetching from origin does not bring the journals of proposals")
		return
	}
	if forced, err := c.git(ctx, repo.CommonDir(), "config", "--get-all", "remote.origin.fetch"); err == nil && strings.Contains(forced, "+"+journalRefs) {
		e.warn("journals", "git config --replace-all remote.origin.fetch '"+journalRefs+"' '^\\+refs/assent/'",
			"fetching from origin would replace journals that hold more here than there")
		return
	}
	prunes := repo.Config("remote.origin.prune")
	if prunes == "" {
		prunes = repo.Config("fetch.prune")
	}
	if strings.EqualFold(prunes, "true") {
		e.warn("journals", "git config remote.origin.prune false", "fetching from origin would delete journals that were not pushed yet")
		return
	}
	e.ok("journals", "fetching from origin brings them")
}
