package gitstore

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
)

// MaxCheckout bounds the total bytes of a checkout's files. A packed blob of a megabyte can
// expand to a gigabyte, and a tree can name it any number of times.
const MaxCheckout = 16 << 30

// Weight sums the sizes of a checkout's files before any is written.
type Weight struct {
	objects *Objects
	bytes   int64
}

// Weigh starts a sum.
func (db *Objects) Weigh() *Weight { return &Weight{objects: db} }

// Add counts one file. The error is ErrNoObject or ErrCorrupt if its content is missing or not
// a blob, and tree.ErrTooLarge beyond MaxCheckout.
func (w *Weight) Add(e tree.Entry) error {
	if e.Mode == tree.Submodule {
		return nil
	}
	size, err := w.objects.BlobSize(e.Hash)
	if err != nil {
		return fmt.Errorf("%.80s: %w", e.Path, err)
	}
	//defence:checkouts-are-bounded
	if w.bytes += size; w.bytes > MaxCheckout {
		return fmt.Errorf("%.80s: the files have more than %d GiB: %w", e.Path, MaxCheckout>>30, tree.ErrTooLarge)
	}
	return nil
}
