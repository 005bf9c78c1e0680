package gitstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
)

// TestReadFollowsRepacks: a read follows any number of repacks, whether they remove a pack
// before it is opened or move the object into an unlisted one. It ends once nothing changes.
func TestReadFollowsRepacks(t *testing.T) {
	for _, vanished := range []error{nil, fs.ErrNotExist} {
		r, err := Init(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		h, repacks := tree.BlobHash([]byte("x")), 0
		read := func(until int) func(*store) (int, bool, error) {
			return func(*store) (int, bool, error) {
				if repacks == until {
					return repacks, true, nil
				}
				repacks++
				return 0, false, errors.Join(vanished, repacked(r, repacks))
			}
		}
		if n, err := reopening(r.Objects.stores, h, read(20)); err != nil || n != 20 {
			t.Errorf("after %d of 20 repacks: %v", n, err)
		}
		reads := 0
		_, err = reopening(r.Objects.stores, h, func(*store) (int, bool, error) { reads++; return 0, false, vanished })
		if want := cmp.Or(vanished, ErrNoObject); !errors.Is(err, want) || reads > maxVanished+1 {
			t.Errorf("nothing changed: %d reads, %v, want %v", reads, err, want)
		}
	}
}

// TestReadLooksAfterIt: a goroutine does not rely on a list of packs that another goroutine
// read before the failure.
func TestReadLooksAfterIt(t *testing.T) {
	r, err := Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := repacked(r, 1); err != nil {
		t.Fatal(err)
	}
	reads := 0
	_, err = reopening(r.Objects.stores, tree.Hash{}, func(s *store) (int, bool, error) {
		if reads++; reads < 4 {
			_, _, err := r.Objects.stores.reopenStore(s) // the other goroutine
			return 0, false, err
		}
		return 0, true, nil
	})
	if err != nil {
		t.Errorf("gave up after %d reads of packs that were listed too early: %v", reads, err)
	}
}

// TestHalfAPackIsNone: a pack without its index is being removed, or its writer was killed.
func TestHalfAPackIsNone(t *testing.T) {
	r, err := Init(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for n, ext := range []string{".idx", ".pack"} {
		if err := errors.Join(repacked(r, n+1), os.Remove(filepath.Join(r.commonDir, "objects", "pack", fmt.Sprintf("pack-%d%s", n+1, ext)))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Blob(tree.BlobHash([]byte("x"))); !errors.Is(err, ErrNoObject) {
		t.Errorf("halves of packs give %v", err)
	}
}

// repacked replaces the previous pack by the n-th.
func repacked(r *Repo, n int) error {
	dir := filepath.Join(r.commonDir, "objects", "pack")
	err := os.MkdirAll(dir, 0o777)
	for _, ext := range []string{".pack", ".idx"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, fmt.Sprintf("pack-%d%s", n, ext)), nil, 0o666))
		if old := filepath.Join(dir, fmt.Sprintf("pack-%d%s", n-1, ext)); err == nil {
			if gone := os.Remove(old); !errors.Is(gone, fs.ErrNotExist) {
				err = gone
			}
		}
	}
	return err
}
