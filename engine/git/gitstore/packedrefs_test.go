package gitstore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// twin replaces packed-refs by a file that differs in its text only: as `git pack-refs` may,
// twice within a clock tick.
func twin(t *testing.T, r *gitstore.Repo, old, new string) {
	t.Helper()
	path := filepath.Join(r.GitDir(), "packed-refs")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.ReplaceAll(read(t, r.GitDir(), "packed-refs"), old, new)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// TestPackedRefsAreReadUnderTheLock: an update never relies on packed-refs as read before its
// lock.
func TestPackedRefsAreReadUnderTheLock(t *testing.T) {
	for name, age := range map[string]time.Duration{"old": time.Hour, "within a tick": 0} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			first := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
			second := commit(t, r, first, 1, files("a", "2")...)
			for _, ref := range []string{"refs/heads/main", "refs/heads/shared", "refs/heads/gone"} {
				update(t, r, ref, tree.Hash{}, first)
			}
			update(t, r, "refs/heads/second", tree.Hash{}, second)
			git(t, r.Root(), "pack-refs", "--all")
			packed := filepath.Join(r.GitDir(), "packed-refs")
			when := time.Now().Add(-age)
			if err := os.Chtimes(packed, when, when); err != nil {
				t.Fatal(err)
			}
			r = open(t, r.Root())
			if h, err := r.Ref("refs/heads/shared"); err != nil || h != first {
				t.Fatal(h, err)
			}
			twin(t, r, first.String()+" refs/heads/shared", second.String()+" refs/heads/shared")
			if err := r.Update(gitstore.RefUpdate{Name: "refs/heads/shared", Old: first, New: first, Reflog: "x"}); err == nil {
				t.Error("an update by what was there before succeeded")
			}
			update(t, r, "refs/heads/gone", first, tree.Hash{})
			if got := git(t, r.Root(), "rev-parse", "refs/heads/shared"); got != second.String() {
				t.Errorf("deleting another ref took the shared one back to %s", got)
			}
			if h, err := r.Ref("refs/heads/shared"); err != nil || h != second {
				t.Errorf("read %s, %v", h, err)
			}
		})
	}
}
