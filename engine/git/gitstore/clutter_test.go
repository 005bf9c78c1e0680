package gitstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// TestRepackKeepsAll: joining packs loses no object, not even unreachable ones.
func TestRepackKeepsAll(t *testing.T) {
	r := newRepo(t)
	var all []tree.Hash
	for i := range 5 {
		h := commit(t, r, tree.Hash{}, int64(i), files("a", fmt.Sprint(i))...)
		update(t, r, "refs/heads/"+fmt.Sprint(i), tree.Hash{}, h)
		all = append(all, h)
	}
	git(t, r.Root(), "update-ref", "-d", "refs/heads/0")
	if err := r.Repack(); err != nil {
		t.Fatal(err)
	}
	if err := r.PackRefs(); err != nil {
		t.Fatal(err)
	}
	c, err := r.Clutter()
	if err != nil || c.Packs != 1 || c.LooseRefs != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	again := open(t, r.Root())
	for _, h := range all {
		if _, err := again.Commit(h); err != nil {
			t.Error(err)
		}
	}
}

func TestFollows(t *testing.T) {
	for spec, want := range map[string]bool{
		"": false, "+refs/heads/*:refs/remotes/origin/*": false, "refs/assent/*:refs/assent/*": true,
		"+refs/*:refs/*": true, "refs/assent/pulls/*:refs/assent/pulls/*": true, "refs/heads/main": false,
	} {
		r := newRepo(t)
		git(t, r.Root(), "remote", "add", "origin", "/nowhere")
		git(t, r.Root(), "remote", "add", "other", "/nowhere")
		if spec != "" {
			git(t, r.Root(), "config", "--add", "remote.origin.fetch", spec)
		}
		if got := open(t, r.Root()).Follows("refs/assent/"); got != want {
			t.Errorf("%q: %v", spec, got)
		}
	}
}

// TestProvided: the condition is checked under all locks, and nothing moves if it fails.
func TestProvided(t *testing.T) {
	r := newRepo(t)
	h := commit(t, r, tree.Hash{}, 0, files("a", "1")...)
	asked := 0
	provided := func() error {
		asked++
		for _, name := range []string{"refs/heads/a", "refs/heads/b"} {
			if _, err := os.Stat(filepath.Join(r.CommonDir(), filepath.FromSlash(name)) + ".lock"); err != nil {
				t.Error(err)
			}
		}
		return fmt.Errorf("no")
	}
	err := r.Update(gitstore.RefUpdate{Name: "refs/heads/a", New: h}, gitstore.RefUpdate{Name: "refs/heads/b", New: h, Provided: provided})
	refs, _ := r.Refs("refs/heads/")
	if err == nil || asked != 1 || len(refs) != 0 {
		t.Errorf("%v; asked %d times; refs %v", err, asked, refs)
	}
}
