package gitstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/tree"
)

// git runs the real git in dir and returns its output without the last newline.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed: interoperation is not tested")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Human", "GIT_AUTHOR_EMAIL=h@example.org", "GIT_COMMITTER_NAME=Human", "GIT_COMMITTER_EMAIL=h@example.org")
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// newRepo makes a repository with our own Init, in a folder of its own.
func newRepo(t testing.TB) *gitstore.Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := gitstore.Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t testing.TB, dir string) *gitstore.Repo {
	t.Helper()
	r, err := gitstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func person(seconds int64) gitstore.Person {
	return gitstore.Person{Name: "Agent", Email: "agent@example.org", When: time.Unix(1_700_000_000+seconds, 0).UTC()}
}

// files turns path/content pairs into edits; the content "-" removes.
func files(pairs ...string) []tree.Edit {
	var edits []tree.Edit
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, tree.Edit{Path: pairs[i], Content: []byte(pairs[i+1]), Remove: pairs[i+1] == "-"})
	}
	return edits
}

// commit writes a commit on top of parent (or none) without moving a ref.
func commit(t testing.TB, r *gitstore.Repo, parent tree.Hash, seconds int64, edits ...tree.Edit) tree.Hash {
	t.Helper()
	c := gitstore.Commit{Author: person(seconds), Committer: person(seconds), Message: "change\n"}
	var base tree.Hash
	if !parent.IsZero() {
		p, err := r.Commit(parent)
		if err != nil {
			t.Fatal(err)
		}
		base, c.Parents = p.Tree, []tree.Hash{parent}
	}
	var err error
	if c.Tree, err = r.WriteTree(base, edits); err != nil {
		t.Fatal(err)
	}
	h, err := r.WriteCommit(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func update(t testing.TB, r *gitstore.Repo, name string, old, new tree.Hash) {
	t.Helper()
	if err := r.Update(gitstore.RefUpdate{Name: name, Old: old, New: new, Reflog: "test"}); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
