// Package storetest makes small repositories for tests, and runs the real git on them.
package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Git runs the real git in dir and returns its output without the last newline.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := TryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit runs the real git in dir and returns its output, even if it failed.
func TryGit(t testing.TB, dir string, args ...string) (string, error) {
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

// NewRepo creates a repository with gitstore.Init, in a folder of its own.
func NewRepo(t testing.TB) *gitstore.Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := gitstore.Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Open opens the repository in dir, or ends the test.
func Open(t testing.TB, dir string) *gitstore.Repo {
	t.Helper()
	r, err := gitstore.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Person returns an author at some seconds after a fixed instant.
func Person(seconds int64) gitstore.Person {
	return gitstore.Person{Name: "Agent", Email: "agent@example.org", When: time.Unix(1_700_000_000+seconds, 0).UTC()}
}

// Files turns path/content pairs into edits; the content "-" removes.
func Files(pairs ...string) []tree.Edit {
	var edits []tree.Edit
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, tree.Edit{Path: pairs[i], Content: []byte(pairs[i+1]), Remove: pairs[i+1] == "-"})
	}
	return edits
}

// Commit writes a commit on top of parent (or none) without moving a ref.
func Commit(t testing.TB, r *gitstore.Repo, parent tree.Hash, seconds int64, edits ...tree.Edit) tree.Hash {
	t.Helper()
	c := gitstore.Commit{Author: Person(seconds), Committer: Person(seconds), Message: "change\n"}
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

// Update moves a ref, or ends the test.
func Update(t testing.TB, r *gitstore.Repo, name string, old, new tree.Hash) {
	t.Helper()
	if err := r.Update(gitstore.RefUpdate{Name: name, Old: old, New: new, Reflog: "test"}); err != nil {
		t.Fatal(err)
	}
}

// Write writes a file below dir, with the folders above it.
func Write(t testing.TB, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Read returns a file below dir.
func Read(t testing.TB, dir, path string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Filled returns a repository with n capabilities in groups of 100, packed.
func Filled(b testing.TB, n int) (*gitstore.Repo, tree.Hash) {
	b.Helper()
	r := NewRepo(b)
	var edits []tree.Edit
	for i := range n {
		body := fmt.Sprintf("---\nname: s%d\ndescription: does thing %d\n---\n%s", i, i, strings.Repeat(fmt.Sprintf("Step %d of it.\n", i), 60))
		edits = append(edits, Files(fmt.Sprintf("skills/g%d/s%d/SKILL.md", i/100, i), body)...)
	}
	h := Commit(b, r, tree.Hash{}, 0, edits...)
	Update(b, r, "refs/heads/main", tree.Hash{}, h)
	Git(b, r.Root(), "repack", "-adq")
	Git(b, r.Root(), "prune-packed")
	return Open(b, r.Root()), h
}

// Proposal returns the four files of the i-th proposal.
func Proposal(i int) []tree.Edit {
	return Files(fmt.Sprintf("skills/g%d/new%d/SKILL.md", i%10, i), strings.Repeat("a line\n", 50)+fmt.Sprint(i),
		fmt.Sprintf("skills/g%d/new%d/capability.yaml", i%10, i), "kind: skill\n",
		fmt.Sprintf("skills/g%d/new%d/tests.yaml", i%10, i), fmt.Sprint("cases: []\n#", i),
		fmt.Sprintf("proposals/2026/01/02/p%d.md", i), fmt.Sprint("why ", i))
}
