package gitstore

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Errors that callers distinguish with errors.Is.
var (
	// ErrNotRepository is returned by Open outside a repository.
	ErrNotRepository = errors.New("no Git repository")
	// ErrUnsupported is returned by Open for repositories whose format cannot be
	// read safely: SHA-256, reftable, partial clones, unknown extensions.
	ErrUnsupported = errors.New("unsupported repository format")
	// ErrOwner is returned by Open for a repository that belongs to another user.
	ErrOwner = errors.New("the repository belongs to another user")
	// ErrEmbedded is returned by Open for a bare repository that is content of another one.
	ErrEmbedded = errors.New("the repository came with the content of another one")
	// ErrSymbolic is returned by Update for a symbolic ref.
	ErrSymbolic = errors.New("symbolic ref")
	// ErrNoRef is returned when a ref does not exist.
	ErrNoRef = errors.New("no such ref")
	// ErrNoObject is returned when an object is in no pack, loose or alternate
	// store. It never means that a file is absent from a tree.
	ErrNoObject = errors.New("object not found")
	// ErrCorrupt is returned for objects and refs that do not parse.
	ErrCorrupt = errors.New("corrupt")
	// ErrBadName is returned for names that Git's check-ref-format refuses.
	ErrBadName = errors.New("invalid ref name")
	// ErrRefConflict is returned when one ref's name is a directory of another's.
	ErrRefConflict = errors.New("ref names are in conflict")
	// ErrBadEdit is returned by WriteTree for edits that contradict each other.
	ErrBadEdit = errors.New("invalid edit")
	// ErrAmbiguous is returned by Resolve for a name of several refs or commits.
	ErrAmbiguous = errors.New("ambiguous name")
)

// ErrStale reports that a ref was not at the value that an update expected.
type ErrStale struct {
	Ref string
	// Want is the expected value, Got the actual one; zero means that the ref is absent.
	Want, Got tree.Hash
}

// Error implements error.
func (e *ErrStale) Error() string {
	return fmt.Sprintf("%s moved: expected %s, found %s; read it again and retry", e.Ref, nameOr(e.Want), nameOr(e.Got))
}

func nameOr(h tree.Hash) string {
	if h.IsZero() {
		return "no ref"
	}
	return h.Short()
}

// ErrLocked reports that another process holds a lock file.
type ErrLocked struct {
	Path string
	// Age is the time since the lock was created.
	Age time.Duration
}

// Error implements error.
func (e *ErrLocked) Error() string {
	return fmt.Sprintf("%s is held by another process (for %s); if no Git or assent process is running, remove the file", e.Path, e.Age.Round(time.Millisecond))
}
