package gitstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// TestPacksStayFew: many updates leave few packs, an older handle still reads everything, and
// packs that git protects or wrote stay.
func TestPacksStayFew(t *testing.T) {
	r := newRepo(t)
	head := commit(t, r, tree.Hash{}, 0, files("f", "0")...)
	update(t, r, "refs/heads/x", tree.Hash{}, head)
	packs := func() []string {
		names, err := filepath.Glob(filepath.Join(r.GitDir(), "objects", "pack", "*.pack"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	kept := packs()[0]
	write(t, filepath.Dir(kept), strings.TrimSuffix(filepath.Base(kept), ".pack")+".keep", "mine\n")
	held := open(t, r.Root())
	if _, err := held.Commit(head); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		next := commit(t, r, head, int64(i), files(fmt.Sprint("f", i), fmt.Sprint("content ", i))...)
		update(t, r, "refs/heads/x", head, next)
		head = next
	}
	now := packs()
	if len(now) > 40 {
		t.Errorf("%d packs after 100 updates", len(now))
	}
	if !strings.Contains(strings.Join(now, "\n"), kept) {
		t.Error("a pack with .keep is gone")
	}
	s, err := held.Snapshot(head)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if data, err := s.Read(fmt.Sprint("f", i)); err != nil || string(data) != fmt.Sprint("content ", i) {
			t.Fatalf("f%d = %q, %v", i, data, err)
		}
	}
	if out := git(t, r.Root(), "fsck", "--strict", "--full"); strings.Contains(out, "missing") || strings.Contains(out, "error") {
		t.Error(out)
	}
	git(t, r.Root(), "verify-pack", now[0])
}
