package gitstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// checkedOut returns a repository with a commit checked out, and the merge that moves main from
// it.
func checkedOut(t *testing.T) (r *gitstore.Repo, old, merged tree.Hash) {
	t.Helper()
	r = newRepo(t)
	old = commit(t, r, tree.Hash{}, 0, files("same", "s\n", "change", "1\n", "edited", "1\n", "staged", "1\n", "gone", "1\n",
		"gone-edited", "1\n", "deleted", "1\n", "dir/only", "1\n", "other", "1\n", "equal", "1\n", "shape", "file\n")...)
	update(t, r, "refs/heads/main", tree.Hash{}, old)
	git(t, r.Root(), "reset", "-q", "--hard")
	merged = commit(t, r, old, 1, files("change", "2\n", "edited", "2\n", "staged", "2\n", "gone", "-", "gone-edited", "-",
		"deleted", "2\n", "dir/only", "-", "new/file", "2\n", "in-the-way", "2\n", "equal", "2\n", "shape", "-", "shape/now", "2\n")...)
	return r, old, merged
}

func TestRefreshWorktree(t *testing.T) {
	r, old, merged := checkedOut(t)
	dir := r.Root()
	write(t, dir, "edited", "mine\n")
	write(t, dir, "other", "mine\n")
	write(t, dir, "gone-edited", "mine\n")
	write(t, dir, "in-the-way", "mine\n")
	write(t, dir, "equal", "2\n")
	write(t, dir, "staged", "mine\n")
	git(t, dir, "add", "staged")
	if err := os.Remove(filepath.Join(dir, "deleted")); err != nil {
		t.Fatal(err)
	}
	update(t, r, "refs/heads/main", old, merged)
	got, err := r.RefreshWorktree(old, merged)
	if err != nil {
		t.Fatal(err)
	}
	want := gitstore.Refresh{Worktrees: []string{dir}, Updated: 6, Kept: []gitstore.Kept{
		{Worktree: dir, Path: "deleted", Why: "deleted"}, {Worktree: dir, Path: "edited", Why: "edited"},
		{Worktree: dir, Path: "gone-edited", Why: "edited"}, {Worktree: dir, Path: "in-the-way", Why: "untracked"},
		{Worktree: dir, Path: "staged", Why: "staged"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for path, content := range map[string]string{"same": "s\n", "change": "2\n", "edited": "mine\n", "other": "mine\n",
		"new/file": "2\n", "in-the-way": "mine\n", "gone-edited": "mine\n", "equal": "2\n", "staged": "mine\n", "shape/now": "2\n"} {
		if read(t, dir, path) != content {
			t.Errorf("%s = %q, want %q", path, read(t, dir, path), content)
		}
	}
	for _, path := range []string{"gone", "dir", "deleted"} {
		if _, err := os.Lstat(filepath.Join(dir, path)); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if out := git(t, dir, "diff", "--cached", "--name-only"); out != "" {
		t.Errorf("the index is behind in: %s", out)
	}
	// The purpose: a later commit -a records the user's own edits only.
	git(t, dir, "commit", "-qam", "mine")
	if got := git(t, dir, "diff", "--name-status", merged.String(), "HEAD"); got != "D\tdeleted\nM\tedited\nM\tin-the-way\nM\tother\nM\tstaged" {
		t.Errorf("commit -a changed %q", got)
	}
}

func TestRefreshCleanWorktreeIsClean(t *testing.T) {
	r, old, merged := checkedOut(t)
	update(t, r, "refs/heads/main", old, merged)
	got, err := r.RefreshWorktree(old, merged)
	if err != nil || len(got.Kept) != 0 {
		t.Errorf("RefreshWorktree = %+v, %v", got, err)
	}
	if out := git(t, r.Root(), "status", "--porcelain"); out != "" {
		t.Errorf("status: %s", out)
	}
	again, err := r.RefreshWorktree(old, merged)
	if err != nil || again.Updated != 0 || len(again.Kept) != 0 {
		t.Errorf("a second refresh did something: %+v, %v", again, err)
	}
}

// TestRefreshOutOfOrder: two merges whose refreshes come in reverse order both arrive.
func TestRefreshOutOfOrder(t *testing.T) {
	r, old, first := checkedOut(t)
	second := commit(t, r, first, 2, files("change", "3\n", "late", "3\n")...)
	update(t, r, "refs/heads/main", old, first)
	update(t, r, "refs/heads/main", first, second)
	for _, step := range [][2]tree.Hash{{first, second}, {old, first}} {
		if _, err := r.RefreshWorktree(step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	if out := git(t, r.Root(), "diff", "--name-only", "--cached"); out != "" {
		t.Errorf("the index is behind in: %s", out)
	}
}

func TestRefreshLinkedAndDetachedWorktrees(t *testing.T) {
	r, old, merged := checkedOut(t)
	base := filepath.Dir(r.Root())
	git(t, r.Root(), "checkout", "-q", "--detach")
	linked := filepath.Join(base, "linked")
	git(t, r.Root(), "worktree", "add", "-q", linked, "main")
	update(t, r, "refs/heads/main", old, merged)
	got, err := r.RefreshWorktree(old, merged)
	if diff := cmp.Diff([]string{linked}, got.Worktrees); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	for _, dir := range []string{linked, r.Root()} {
		if out := git(t, dir, "status", "--porcelain"); out != "" {
			t.Errorf("status in %s: %s", dir, out)
		}
	}
}

// TestNoteOfARefreshStays: a later refresh does not rewrite the note of an unfinished one,
// because a kill during the write would lose what is left to do.
func TestNoteOfARefreshStays(t *testing.T) {
	r, old, merged := checkedOut(t)
	update(t, r, "refs/heads/main", old, merged)
	if err := os.WriteFile(filepath.Join(r.GitDir(), "index.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fails := func() {
		t.Helper()
		if _, err := r.RefreshWorktree(old, merged); err == nil {
			t.Fatal("the index is locked, and it was refreshed")
		}
	}
	fails()
	note := filepath.Join(r.GitDir(), "assent", "behind")
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(note, long, long); err != nil {
		t.Fatal(err)
	}
	fails()
	if info, err := os.Stat(note); err != nil || !info.ModTime().Equal(long) {
		t.Errorf("the note was written again: %v", err)
	}
}

func TestRefreshNeverWritesThroughLinks(t *testing.T) {
	r, old, merged := checkedOut(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(r.Root(), "new")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	update(t, r, "refs/heads/main", old, merged)
	got, err := r.RefreshWorktree(old, merged)
	if err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("a file was written outside: %v, %v", entries, err)
	}
	if len(got.Kept) != 1 || got.Kept[0].Path != "new/file" {
		t.Errorf("Kept = %v, want new/file", got.Kept)
	}
}

// TestRefreshLooksThroughNoLink: a folder takes the place of a link to a folder that has the same names. What is behind the
// link neither counts as the checkout's files nor is it read.
func TestRefreshLooksThroughNoLink(t *testing.T) {
	r, _, _ := checkedOut(t)
	dir, outside := r.Root(), t.TempDir()
	write(t, outside, "equal", "new\n")
	write(t, outside, "folder/x", "x\n")
	write(t, outside, "other", "mine\n")
	if err := os.Symlink(outside, filepath.Join(dir, "docs")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	git(t, dir, "add", "docs")
	git(t, dir, "commit", "-qm", "a link")
	link := tree.Hash{}
	if err := link.UnmarshalText([]byte(git(t, dir, "rev-parse", "HEAD"))); err != nil {
		t.Fatal(err)
	}
	folder := commit(t, r, link, 2, files("docs", "-", "docs/equal", "new\n", "docs/folder", "new\n", "docs/other", "new\n", "docs/absent", "new\n")...)
	update(t, r, "refs/heads/main", link, folder)
	got, err := r.RefreshWorktree(link, folder)
	if err != nil || len(got.Kept) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if out := git(t, dir, "status", "--porcelain"); out != "" {
		t.Errorf("the checkout lacks files: %s", out)
	}
	if read(t, outside, "other") != "mine\n" {
		t.Error("a file was written outside")
	}
}

func TestRefreshWithoutGit(t *testing.T) {
	r, old, merged := checkedOut(t)
	update(t, r, "refs/heads/main", old, merged)
	t.Setenv("PATH", t.TempDir())
	if _, err := r.RefreshWorktree(old, merged); err == nil {
		t.Error("no error although git is not there")
	}
}

func TestWorktreeView(t *testing.T) {
	r := newRepo(t)
	dir := r.Root()
	tracked := commit(t, r, tree.Hash{}, 0, files("skills/a/kept.log", "k")...)
	update(t, r, "refs/heads/main", tree.Hash{}, tracked)
	write(t, dir, "skills/a/SKILL.md", "a")
	write(t, dir, "skills/a/kept.log", "k")
	write(t, dir, "skills/a/x.log", "ignored")
	write(t, dir, "skills/.gitignore", "*.log\n")
	write(t, dir, "other/file", "outside")
	if err := os.MkdirAll(filepath.Join(dir, "skills", "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "skills/a/SKILL.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../other", filepath.Join(dir, "skills", "link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	v, err := r.WorktreeView("skills")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = tree.Files(v, "", func(e tree.Entry) error {
		data, err := v.Read(e.Path)
		got = append(got, e.Mode.String()+" "+e.Path+" "+string(data))
		return err
	})
	want := []string{"100644 skills/.gitignore *.log\n", "100755 skills/a/SKILL.md a", "100644 skills/a/kept.log k", "120000 skills/link ../../other"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	s, err := r.Snapshot(tracked)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := tree.Diff(s, v, "skills/a")
	if err != nil || len(changes) != 1 || changes[0].Path != "skills/a/SKILL.md" {
		t.Errorf("Diff = %v, %v", changes, err)
	}
}

// TestRefreshesSideBySide: main moves many times with concurrent refreshes of one checkout. In
// the end checkout and index match main.
func TestRefreshesSideBySide(t *testing.T) {
	r, old, _ := checkedOut(t)
	moves := []tree.Hash{old}
	for i := range 6 {
		moves = append(moves, commit(t, r, moves[i], int64(i+1), files("change", strings.Repeat("2", i+1)+"\n", fmt.Sprintf("new/%d", i), "2\n")...))
	}
	var all sync.WaitGroup
	for i, from := range moves[:6] {
		update(t, r, "refs/heads/main", from, moves[i+1])
		all.Go(func() {
			if out, err := open(t, r.Root()).RefreshWorktree(from, moves[i+1]); err != nil || len(out.Kept) > 0 {
				t.Errorf("refresh %d: %v, %v", i, out.Kept, err)
			}
		})
	}
	all.Wait()
	if dirty := git(t, r.Root(), "status", "--porcelain"); dirty != "" {
		t.Errorf("the checkout is not what main is:\n%s", dirty)
	}
}
