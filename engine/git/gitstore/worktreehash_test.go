package gitstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// hashedWorktree returns a checkout with many folders, and its commit.
func hashedWorktree(t *testing.T) (*gitstore.Repo, *gitstore.Snapshot) {
	t.Helper()
	r := newRepo(t)
	for i := range 60 {
		write(t, r.Root(), fmt.Sprintf("skills/g%d/s%d/SKILL.md", i%7, i), strings.Repeat("text\n", i))
		write(t, r.Root(), fmt.Sprintf("skills/g%d/s%d/scripts/main.py", i%7, i), "print()\n")
	}
	write(t, r.Root(), "skills/g.d", "sorts before the folders g/\n")
	write(t, r.Root(), "soul/smith/SOUL.md", "# Smith\n")
	if err := os.Chmod(filepath.Join(r.Root(), "skills/g0/s0/scripts/main.py"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, r.Root(), "add", "-A")
	git(t, r.Root(), "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "all")
	s, err := open(t, r.Root()).Snapshot(hash(t, git(t, r.Root(), "rev-parse", "HEAD")))
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

func hash(t *testing.T, text string) tree.Hash {
	t.Helper()
	h, err := tree.ParseHash(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func hashedView(t *testing.T, r *gitstore.Repo) tree.View {
	t.Helper()
	v, err := r.HashedWorktreeView("skills", "soul")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestHashedWorktreeViewIsWhatGitWouldCommit: files and folders have git's hashes.
func TestHashedWorktreeViewIsWhatGitWouldCommit(t *testing.T) {
	r, committed := hashedWorktree(t)
	v := hashedView(t, r)
	for _, path := range []string{"skills", "skills/g0", "skills/g0/s0", "skills/g0/s0/scripts", "skills/g0/s0/scripts/main.py", "skills/g.d", "soul"} {
		got, err := v.Lookup(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := hash(t, git(t, r.Root(), "rev-parse", "HEAD:"+path)); got.Hash != want {
			t.Errorf("%s is %s, want %s", path, got.Hash, want)
		}
	}
	if changes, err := tree.Diff(committed, v); err != nil || len(changes) > 0 {
		t.Errorf("Diff = %v, %v", changes, err)
	}
}

// TestHashedWorktreeViewBelievesContentOnly: a change that keeps size and time of the file is
// found; neither they nor the index are trusted.
func TestHashedWorktreeViewBelievesContentOnly(t *testing.T) {
	r, committed := hashedWorktree(t)
	git(t, r.Root(), "update-index", "--assume-unchanged", "skills/g1/s1/SKILL.md")
	path := filepath.Join(r.Root(), "skills/g1/s1/SKILL.md")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r.Root(), "skills/g1/s1/SKILL.md", "evil\n")
	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	write(t, r.Root(), "skills/g2/new/SKILL.md", "new\n")
	if err := os.RemoveAll(filepath.Join(r.Root(), "skills/g3/s3")); err != nil {
		t.Fatal(err)
	}
	changes, err := tree.Diff(committed, hashedView(t, r), "skills", "soul")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, c.Path)
	}
	want := []string{"skills/g1/s1/SKILL.md", "skills/g2/new/SKILL.md", "skills/g3/s3/SKILL.md", "skills/g3/s3/scripts/main.py"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHashedWorktreeViewIsOneMoment: Read fails for a file that changed since the view was
// created.
func TestHashedWorktreeViewIsOneMoment(t *testing.T) {
	r, _ := hashedWorktree(t)
	v := hashedView(t, r)
	if got, err := v.Read("soul/smith/SOUL.md"); err != nil || string(got) != "# Smith\n" {
		t.Errorf("%q, %v", got, err)
	}
	write(t, r.Root(), "soul/smith/SOUL.md", "# Smyth\n")
	if got, err := v.Read("soul/smith/SOUL.md"); err == nil {
		t.Errorf("%q, which is not what was hashed", got)
	}
}

// TestWorktreeViewOfSubmodules: a submodule's folder is one, filled or empty; a folder of that
// name with other files is a folder.
func TestWorktreeViewOfSubmodules(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"empty", "filled", "files"} {
		git(t, r.Root(), "update-index", "--add", "--cacheinfo", "160000,1234567890123456789012345678901234567890,skills/"+name)
	}
	git(t, r.Root(), "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "submodules")
	if err := os.MkdirAll(filepath.Join(r.Root(), "skills/empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, r.Root(), "skills/filled/.git", "gitdir: elsewhere\n")
	write(t, r.Root(), "skills/files/SKILL.md", "a file\n")
	list, err := hashedView(t, open(t, r.Root())).List("skills")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Mode.String()+" "+e.Path)
	}
	if diff := cmp.Diff([]string{"160000 skills/empty", "040000 skills/files", "160000 skills/filled"}, got); diff != "" {
		t.Error(diff)
	}
}
