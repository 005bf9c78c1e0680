package gitstore

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// pruningDisk removes a folder of refs as soon as one in it moved, as `git pack-refs` does
// after packing them.
type pruningDisk struct {
	osDisk
	folder string
}

func (d pruningDisk) SyncDir(name string) error {
	if name == d.folder {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return d.osDisk.SyncDir(name)
}

func TestFolderOfRefsIsPruned(t *testing.T) {
	dir := t.TempDir()
	plain, err := Init(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenOn(pruningDisk{folder: filepath.Join(plain.CommonDir(), "refs", "assent", "pulls")}, dir)
	if err != nil {
		t.Fatal(err)
	}
	root, err := r.WriteTree(tree.Hash{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Person{Name: "a", When: time.Unix(0, 0)}
	c, err := r.WriteCommit(Commit{Tree: root, Author: p, Committer: p, Message: "x"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Update(RefUpdate{Name: "refs/assent/pulls/one", New: c}); err != nil {
		t.Error(err)
	}
}
