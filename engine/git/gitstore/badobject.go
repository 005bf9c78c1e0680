package gitstore

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
)

// BadObject says that an object is not read: git and assent could understand it
// differently, it is of another type than its place asks for, or it is larger than any
// honest one. It is ErrCorrupt. It concerns what needs the object and nothing else.
type BadObject struct {
	// Kind is the type that was expected: commit, tree, blob or tag.
	Kind string
	Hash tree.Hash
	// What is wrong, as the end of a sentence that begins with the object.
	What string
}

// Error names the object and what is wrong.
func (e *BadObject) Error() string { return fmt.Sprintf("%s %s %s", e.Kind, e.Hash, e.What) }

// Unwrap returns ErrCorrupt.
func (e *BadObject) Unwrap() error { return ErrCorrupt }

// IsBadObject tells an object that its author made malformed or vast, which concerns what
// needs it, from a repository that cannot be read or lost something.
func IsBadObject(err error) bool {
	var b *BadObject
	return errors.As(err, &b)
}

// bad makes the error of a parser, which does not know the object's name.
func bad(k kind, format string, args ...any) error {
	return &BadObject{Kind: k.String(), What: fmt.Sprintf(format, args...)}
}

// nameBad adds the object's name to the error of a parser.
func nameBad(h tree.Hash, err error) error {
	var b *BadObject
	if !errors.As(err, &b) || !b.Hash.IsZero() {
		return err
	}
	return &BadObject{Kind: b.Kind, Hash: h, What: b.What}
}

// MaxBlob bounds the content of a file that is read into memory.
const MaxBlob = 64 << 20

// bounds are how many bytes of an object are inflated: of commits and tags, which are
// text of a few hundred bytes, and of blobs.
type bounds struct{ text, blob int64 }

// within bounds blobs by most, and all else as usual.
func within(most int64) bounds { return bounds{text: 1 << 20, blob: most} }

// of bounds objects of a kind. A tree of 16 MiB has 200 000 entries.
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

// checkSize refuses an object by what its header says, before a byte of it is inflated.
func checkSize(k kind, size int64, b bounds) error {
	//defence:objects-are-bounded
	if most := b.of(k); size > most {
		return bad(k, "has %d bytes, and at most %d are read", size, most)
	}
	return nil
}
