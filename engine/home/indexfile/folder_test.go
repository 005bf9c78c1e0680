package indexfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/home/indexfile"
	"github.com/assent-dev/assent/engine/registry/index"
)

// state returns a tree with n skills, a hash for it, and its base segment.
func state(t *testing.T, n int) (tree.View, tree.Hash, []byte) {
	t.Helper()
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("skills/knot-%d/SKILL.md", i)] = "---\nname: knot\ndescription: d\n---\n"
	}
	v, h := tree.MapOf(files), tree.Hash{byte(n)}
	data, err := index.Build(v, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	return v, h, data
}

// TestFolderIsBounded: few files remain after many states, and the last index can be read.
func TestFolderIsBounded(t *testing.T) {
	f := indexfile.Folder{Dir: filepath.Join(t.TempDir(), "new", "index")}
	leftover := filepath.Join(f.Dir, ".new-1")
	for n := 1; n <= 20; n++ {
		_, h, data := state(t, n)
		if err := f.Save(h, data); err != nil {
			t.Fatal(err)
		}
		if x, err := f.Open(h); err != nil || x.Len() != n {
			t.Fatalf("state %d: %v", n, err)
		}
		if n == 1 {
			old := time.Now().Add(-2 * time.Hour)
			if err := os.WriteFile(leftover, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(leftover, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(f.Trees()); n != 3 {
		t.Errorf("%d states are kept, want 3", n)
	}
	if _, err := os.Stat(leftover); err == nil {
		t.Error("an unfinished file of a dead process remains")
	}
}

// TestFolderKeepsBases: the segments below a kept one are kept with it.
func TestFolderKeepsBases(t *testing.T) {
	f := indexfile.Folder{Dir: t.TempDir()}
	before, base, data := state(t, 5)
	if err := f.Save(base, data); err != nil {
		t.Fatal(err)
	}
	for n := 6; n < 12; n++ {
		below, err := f.Open(base)
		if err != nil {
			t.Fatal(err)
		}
		now, h, _ := state(t, n)
		made, ok, err := index.Refresh(below, before, now, h, 1)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := f.Save(h, made); err != nil {
			t.Fatal(err)
		}
		if x, err := f.Open(h); err != nil || x.Len() != n || len(x.Segments()) != 2 {
			t.Fatalf("state %d: %v", n, err)
		}
	}
}

// TestFolderConcurrent: concurrent Save and Open read a whole index or none.
func TestFolderConcurrent(t *testing.T) {
	f := indexfile.Folder{Dir: t.TempDir()}
	var group sync.WaitGroup
	for n := 1; n <= 8; n++ {
		_, h, data := state(t, n)
		group.Go(func() {
			for range 10 {
				if err := f.Save(h, data); err != nil {
					t.Error(err)
				}
				if x, err := f.Open(h); err == nil && x.Len() != n {
					t.Errorf("state %d has %d entries", n, x.Len())
				}
			}
		})
	}
	group.Wait()
}
