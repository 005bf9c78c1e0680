package gitstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/tree"
)

// A read follows repacks for as long as they come, whether they take a pack away
// before it is opened or leave the object in one that was not listed yet; and it
// ends when nothing changes any more.
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
		if n, err := reopening(r, h, read(20)); err != nil || n != 20 {
			t.Errorf("after %d of 20 repacks: %v", n, err)
		}
		reads := 0
		_, err = reopening(r, h, func(*store) (int, bool, error) { reads++; return 0, false, vanished })
		if want := cmp.Or(vanished, ErrNoObject); !errors.Is(err, want) || reads > 3 {
			t.Errorf("nothing changed: %d reads, %v, want %v", reads, err, want)
		}
	}
}

// repacked puts the n-th pack in the place of the one before it.
func repacked(r *Repo, n int) error {
	pack := func(n int) string {
		return filepath.Join(r.commonDir, "objects", "pack", fmt.Sprintf("pack-%d.idx", n))
	}
	if err := os.MkdirAll(filepath.Dir(pack(n)), 0o777); err != nil {
		return err
	}
	err := os.WriteFile(pack(n), nil, 0o666)
	if n > 1 {
		err = errors.Join(err, os.Remove(pack(n-1)))
	}
	return err
}
