package gitstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

func TestGitReadsWhatWeWrite(t *testing.T) {
	r := newRepo(t)
	first := commit(t, r, tree.Hash{}, 0, files("README", "hello\n", "skills/a/SKILL.md", "a", "skills/a.b", "x", "skills/a/run", "y")...)
	update(t, r, "refs/heads/main", tree.Hash{}, first)
	second := commit(t, r, first, 1, files("skills/a/SKILL.md", "b", "README", "-", "deep/er/file", "z")...)
	update(t, r, "refs/heads/main", first, second)

	if got := git(t, r.Root(), "fsck", "--strict", "--full"); strings.Contains(got, "error") || strings.Contains(got, "warning") {
		t.Errorf("fsck: %s", got)
	}
	want := "deep/er/file\nskills/a.b\nskills/a/SKILL.md\nskills/a/run"
	if got := git(t, r.Root(), "ls-tree", "-r", "--name-only", "main"); got != want {
		t.Errorf("ls-tree = %q, want %q", got, want)
	}
	if got := git(t, r.Root(), "show", "main:skills/a/SKILL.md"); got != "b" {
		t.Errorf("show = %q", got)
	}
	if got := git(t, r.Root(), "reflog", "main"); !strings.Contains(got, "test") || strings.Count(got, "\n") != 1 {
		t.Errorf("reflog = %q, want two lines", got)
	}
	if got := git(t, r.Root(), "rev-parse", "HEAD@{0}"); got != second.String() {
		t.Errorf("HEAD's reflog = %q, want %s", got, second)
	}
}

func TestWeReadWhatGitWrites(t *testing.T) {
	r := newRepo(t)
	dir := r.Root()
	for i := range 30 {
		write(t, dir, "skills/big/SKILL.md", strings.Repeat("line of text that deltas well\n", 200)+fmt.Sprint(i))
		write(t, dir, fmt.Sprintf("skills/s%d/SKILL.md", i), fmt.Sprint("skill ", i))
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-qm", fmt.Sprint("commit ", i))
	}
	git(t, dir, "tag", "-am", "a tag", "v1")
	check := func(t *testing.T, r *gitstore.Repo) {
		t.Helper()
		for rev, want := range map[string]string{"HEAD": "29", "main~3": "26", "v1^": "28", "HEAD~2^1~1": "25"} {
			h, err := r.Resolve(rev)
			if err != nil {
				t.Fatal(err)
			}
			if got := git(t, dir, "rev-parse", rev+"^{commit}"); got != h.String() {
				t.Errorf("Resolve(%s) = %s, git says %s", rev, h, got)
			}
			s, err := r.Snapshot(h)
			if err != nil {
				t.Fatal(err)
			}
			data, err := s.Read("skills/big/SKILL.md")
			if err != nil || !strings.HasSuffix(string(data), "\n"+want) {
				t.Errorf("%s: read %d bytes, %v; want the end %q", rev, len(data), err, want)
			}
			e, err := s.Lookup("skills/big/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			if n, err := r.BlobSize(e.Hash); err != nil || n != int64(len(data)) {
				t.Errorf("BlobSize = %d, %v; want %d", n, err, len(data))
			}
			if tree.BlobHash(data) != e.Hash {
				t.Errorf("%s: content does not have the name that was asked for", rev)
			}
		}
	}
	t.Run("loose", func(t *testing.T) { check(t, open(t, dir)) })
	held := open(t, dir)
	check(t, held)
	git(t, dir, "repack", "-adfq", "--depth=50")
	git(t, dir, "pack-refs", "--all")
	git(t, dir, "prune", "--expire=now")
	t.Run("packed while open", func(t *testing.T) { check(t, held) })
	t.Run("packed", func(t *testing.T) { check(t, open(t, dir)) })
	git(t, dir, "commit", "-qm", "more", "--allow-empty")
	git(t, dir, "reset", "-q", "--hard", "HEAD~1")
	git(t, dir, "-c", "gc.reflogExpireUnreachable=now", "gc", "-q", "--prune=now", "--aggressive")
	t.Run("gc", func(t *testing.T) { check(t, held) })
}

func TestCloneShared(t *testing.T) {
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	for _, relative := range []bool{false, true} {
		dir := filepath.Join(filepath.Dir(r.Root()), fmt.Sprint("clone-", relative))
		git(t, r.Root(), "clone", "-q", "--shared", r.Root(), dir)
		if relative {
			objects := filepath.Join(dir, ".git", "objects")
			rel, err := filepath.Rel(objects, filepath.Join(r.CommonDir(), "objects"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, objects, "info/alternates", rel+"\n")
		}
		c := open(t, dir)
		s, err := c.Snapshot(h)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := s.Read("a"); err != nil || string(data) != "1" {
			t.Errorf("relative=%v: Read = %q, %v", relative, data, err)
		}
		next := commit(t, c, h, 1, files("b", "2")...)
		update(t, c, "refs/heads/main", h, next)
		git(t, dir, "fsck", "--strict")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	base := t.TempDir()
	git(t, base, "init", "-q", "--object-format=sha256", "sha256")
	git(t, base, "init", "-q", "reftable")
	git(t, filepath.Join(base, "reftable"), "config", "core.repositoryformatversion", "1")
	git(t, filepath.Join(base, "reftable"), "config", "extensions.refstorage", "reftable")
	git(t, base, "init", "-q", "source")
	git(t, filepath.Join(base, "source"), "commit", "-q", "--allow-empty", "-m", "x")
	git(t, filepath.Join(base, "source"), "config", "uploadpack.allowFilter", "true")
	git(t, base, "clone", "-q", "--filter=blob:none", "file://"+filepath.Join(base, "source"), "partial")
	git(t, base, "init", "-q", "future")
	git(t, filepath.Join(base, "future"), "config", "core.repositoryformatversion", "1")
	git(t, filepath.Join(base, "future"), "config", "extensions.brandnew", "true")
	if err := os.Mkdir(filepath.Join(base, "plain"), 0o777); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]error{
		"sha256": gitstore.ErrUnsupported, "reftable": gitstore.ErrUnsupported, "partial": gitstore.ErrUnsupported,
		"future": gitstore.ErrUnsupported, "plain": gitstore.ErrNotRepository,
	} {
		if _, err := gitstore.Open(filepath.Join(base, dir)); !errors.Is(err, want) {
			t.Errorf("Open(%s) = %v, want %v", dir, err, want)
		}
	}
}

func TestOpenKinds(t *testing.T) {
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("d/a", "1")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	git(t, r.Root(), "reset", "-q", "--hard")
	base := filepath.Dir(r.Root())
	linked := filepath.Join(base, "linked")
	git(t, r.Root(), "worktree", "add", "-q", "-b", "side", linked)
	git(t, base, "clone", "-q", "--bare", r.Root(), "bare.git")
	super := filepath.Join(base, "super")
	git(t, base, "init", "-q", super)
	git(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.Root(), "sub")

	for _, c := range []struct{ dir, root, branch string }{
		{filepath.Join(r.Root(), "d"), r.Root(), "refs/heads/main"},
		{r.GitDir(), r.Root(), "refs/heads/main"},
		{linked, linked, "refs/heads/side"},
		{filepath.Join(r.GitDir(), "worktrees", "linked"), linked, "refs/heads/side"},
		{filepath.Join(base, "bare.git"), "", "refs/heads/main"},
		{filepath.Join(super, "sub"), filepath.Join(super, "sub"), "refs/heads/main"},
	} {
		o := open(t, c.dir)
		head, err := o.Head()
		want := gitstore.Head{Branch: c.branch, Commit: h}
		if err != nil || o.Root() != c.root || o.Bare() != (c.root == "") || head != want {
			t.Errorf("Open(%s): root %q, head %+v, %v; want %q, %+v", c.dir, o.Root(), head, err, c.root, want)
		}
		if got, err := o.Ref("refs/heads/main"); err != nil || got != h {
			t.Errorf("Open(%s): main = %s, %v", c.dir, got, err)
		}
	}
	trees, err := open(t, linked).Worktrees()
	if err != nil {
		t.Fatal(err)
	}
	var roots []string
	for _, w := range trees {
		roots = append(roots, w.Root)
	}
	if diff := cmp.Diff([]string{r.Root(), linked}, roots); diff != "" {
		t.Errorf("Worktrees: %s", diff)
	}
}

func TestHeadUnbornAndDetached(t *testing.T) {
	r := newRepo(t)
	if head, err := r.Head(); err != nil || head != (gitstore.Head{Branch: "refs/heads/main"}) {
		t.Errorf("unborn: %+v, %v", head, err)
	}
	h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	git(t, r.Root(), "checkout", "-q", "--detach", "main")
	if head, err := r.Head(); err != nil || head != (gitstore.Head{Commit: h, Detached: true}) {
		t.Errorf("detached: %+v, %v", head, err)
	}
}

func TestInitIsIdempotent(t *testing.T) {
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
	update(t, r, "refs/heads/main", tree.Hash{}, h)
	again, err := gitstore.Init(r.Root())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := again.Ref("HEAD"); err != nil || got != h {
		t.Errorf("after a second Init HEAD = %s, %v; want %s", got, err, h)
	}
}
