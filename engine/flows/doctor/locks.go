package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Locks are held for milliseconds, by editors of commit messages for hours.
const (
	// staleAfter is the age at which a lock is reported.
	staleAfter = time.Minute
	// deadAfter is the age at which a lock is removed if no process uses it; blindAfter is
	// that age if processes cannot be inspected.
	deadAfter  = 10 * time.Minute
	blindAfter = 24 * time.Hour
)

// checkLocks names locks that are in the way, and our own files beside packs that a
// killed process left.
func checkLocks(e *examination) {
	locks, err := e.w.Repo.StaleLocks()
	if err != nil {
		e.broke("locks", err)
		return
	}
	stale := 0
	for _, l := range locks {
		switch {
		case l.Age >= staleAfter:
			stale++
			reportLock(e, e.w.Repo, l)
		case filepath.Base(l.Path) == "index.lock":
			stale++
			e.warn("locks", "wait for the running Git program, then repeat", "%s is held: a merge now cannot update your checkout", l.Path)
		}
	}
	if stale == 0 {
		e.ok("locks", "no stale locks")
	}
}

func reportLock(e *examination, repo *gitstore.Repo, l gitstore.Lock) {
	by, err := usersOf(l.Path, repo)
	age := l.Age.Truncate(time.Second)
	fix := "if no Git program is running here: rm " + names.ForShell(l.Path)
	switch {
	case err == nil && by != "":
		e.warn("locks", "wait for it, or end it", "%s was made %s ago, and %s may still need it", l.Path, age, by)
		return
	case err != nil && l.Age < blindAfter:
		e.warn("locks", fix, "%s was left %s ago; whether a process still needs it cannot be seen (%v)", l.Path, age, err)
		return
	case l.Age < deadAfter:
		e.warn("locks", fix, "%s was left %s ago", l.Path, age)
		return
	}
	e.warn("locks", fix, "%s was left %s ago", l.Path, age).by(removal(l.Path), "remove %s", l.Path)
}

// removal returns a function that removes the file if it is still the same one: a lock that
// was taken since belongs to another process.
func removal(path string) func(context.Context) error {
	seen, err := os.Lstat(path)
	return func(context.Context) error {
		if err != nil {
			return err
		}
		now, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if !os.SameFile(seen, now) || !seen.ModTime().Equal(now.ModTime()) {
			return fmt.Errorf("%s was taken again meanwhile", path)
		}
		return os.Remove(path)
	}
}
