package gitstore

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// bare is a repository that the real git made, and its only file.
type bare struct {
	testing.TB
	dir  string
	repo *Repo
	blob tree.Hash
}

func newBare(t testing.TB) *bare {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
	b := &bare{TB: t, dir: t.TempDir()}
	b.git(nil, "init", "--quiet", "--bare")
	var err error
	if b.repo, err = Open(b.dir); err != nil {
		t.Fatal(err)
	}
	b.blob = b.put("blob", []byte("hi\n"))
	return b
}

func (b *bare) try(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", b.dir, "-c", "i18n.logOutputEncoding=UTF-8", "-c", "core.quotePath=false"}, args...)...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "HOME="+b.dir)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.Output()
	return string(out), err
}

func (b *bare) git(stdin []byte, args ...string) string {
	b.Helper()
	out, err := b.try(stdin, args...)
	if err != nil {
		b.Fatalf("git %v: %v", args, err)
	}
	return out
}

// put stores raw bytes without git's checks.
func (b *bare) put(kind string, data []byte) tree.Hash {
	b.Helper()
	h, err := tree.ParseHash(strings.TrimSpace(b.git(data, "hash-object", "-t", kind, "-w", "--literally", "--stdin")))
	if err != nil {
		b.Fatal(err)
	}
	return h
}

func (b *bare) tree() tree.Hash {
	return b.put("tree", fmt.Appendf(nil, "100644 a\x00%s", b.blob[:]))
}

// agrees checks that git reads an accepted commit in the same way.
func (b *bare) agrees(h tree.Hash, c Commit) {
	b.Helper()
	lines := strings.Fields(b.git(nil, "rev-list", "--parents", "--no-walk", h.String()))
	want := []string{h.String()}
	for _, p := range c.Parents {
		want = append(want, p.String())
	}
	if strings.Join(lines, " ") != strings.Join(want, " ") {
		b.Errorf("parents: git reads %v, assent %v", lines, want)
	}
	shown := b.git(nil, "log", "-1", "--no-walk", "--format=%T%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B", h.String())
	f := strings.SplitN(shown, "\x00", 8)
	got := []string{c.Tree.String(), c.Author.Name, c.Author.Email, seconds(c.Author), c.Committer.Name, c.Committer.Email, seconds(c.Committer)}
	for i, what := range []string{"tree", "author", "author's address", "author's date", "committer", "committer's address", "committer's date"} {
		if i%3 == 0 && i > 0 && f[i] != "" { // dates may have leading zeros
			if n, err := strconv.ParseInt(f[i], 10, 64); err == nil {
				f[i] = strconv.FormatInt(n, 10)
			}
		}
		if f[i] != got[i] {
			b.Errorf("%s: git reads %q, assent %q", what, f[i], got[i])
		}
	}
	if strings.Trim(f[7], gitSpace) != strings.Trim(c.Message, gitSpace) {
		b.Errorf("message: git reads %q, assent %q", f[7], c.Message)
	}
	if top := strings.TrimSpace(b.git(nil, "rev-parse", h.String()+"^{tree}")); top != c.Tree.String() {
		b.Errorf("rev-parse reads the tree %s, assent %s", top, c.Tree)
	}
	raw := b.git(nil, "cat-file", "commit", h.String())
	if _, message, _ := strings.Cut(raw, "\n\n"); message != c.Message {
		b.Errorf("message: the object holds %q, assent reads %q", message, c.Message)
	}
}

func seconds(p Person) string {
	if p.When.IsZero() {
		return ""
	}
	return strconv.FormatInt(p.When.Unix(), 10)
}
