package gitstore

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
)

// BadObject reports an object that is not read: git and assent could understand it differently,
// it has another type than its reference requires, or it exceeds a size limit. It unwraps to
// ErrCorrupt. Only readers that need the object are affected.
type BadObject struct {
	// Kind is the type that was expected: commit, tree, blob or tag.
	Kind string
	Hash tree.Hash
	// What describes the defect, as the end of a sentence that begins with the object.
	What string
}

// Error names the object and the defect.
func (e *BadObject) Error() string { return fmt.Sprintf("%s %s %s", e.Kind, e.Hash, e.What) }

// Unwrap returns ErrCorrupt.
func (e *BadObject) Unwrap() error { return ErrCorrupt }

// IsBadObject reports whether err is about one malformed or oversized object, which affects
// only what needs it, and not about an unreadable repository or a lost object.
func IsBadObject(err error) bool {
	var b *BadObject
	return errors.As(err, &b)
}

// IsUnfit reports whether err says that a commit's trees are not compared: an object of it is bad, or they are too large.
// Main's standing blocks and names such a commit; who looks for something else in main passes it over.
func IsUnfit(err error) bool { return IsBadObject(err) || errors.Is(err, tree.ErrTooLarge) }

// IsContent reports whether err is about stored content, which anyone with permission to push can
// cause: an object that is malformed, missing or too large, a missing path, trees that are too
// large to compare, or edits that contradict each other. The invariant of judges and of readers of
// journals: such an error affects only the commit or journal that is judged.
func IsContent(err error) bool {
	for _, content := range []error{ErrCorrupt, ErrNoObject, ErrBadEdit, tree.ErrTooLarge, tree.ErrNotExist} {
		if errors.Is(err, content) {
			return true
		}
	}
	return false
}

// bad returns the error of a parser, which does not know the object's hash.
func bad(k kind, format string, args ...any) error {
	return &BadObject{Kind: k.String(), What: fmt.Sprintf(format, args...)}
}

// addHash adds the object's hash to the error of a parser.
func addHash(h tree.Hash, err error) error {
	var b *BadObject
	if !errors.As(err, &b) || !b.Hash.IsZero() {
		return err
	}
	return &BadObject{Kind: b.Kind, Hash: h, What: b.What}
}

// MaxBlob bounds the content of a file that is read into memory.
const MaxBlob = 64 << 20

// bounds limits the inflated bytes of an object: text for commits and tags, which are usually a
// few hundred bytes, and blob for blobs.
type bounds struct{ text, blob int64 }

// blobBounds returns the usual bounds with blobs limited to most bytes.
func blobBounds(most int64) bounds { return bounds{text: 1 << 20, blob: most} }

// of returns the limit for a kind of object. A tree of 16 MiB has 200 000 entries.
func (b bounds) of(k kind) int64 {
	switch k {
	case kindCommit, kindTag:
		return b.text
	case kindTree:
		return 16 << 20
	default:
		return b.blob
	}
}

// checkSize refuses an object by the size in its header, before any of it is inflated.
func checkSize(k kind, size int64, b bounds) error {
	//defence:objects-are-bounded
	if most := b.of(k); size > most {
		return bad(k, "has %d bytes, and at most %d are read", size, most)
	}
	return nil
}
