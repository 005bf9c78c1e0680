package gitstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// BrokenRef reports a ref whose file holds neither an object name nor the name of another ref:
// it was truncated or overwritten. It unwraps to ErrCorrupt. Other refs are not affected.
type BrokenRef struct {
	Name string
	// Text is the content of the file without trailing white space.
	Text string
}

// Error names the ref and the likely remedy.
func (e *BrokenRef) Error() string {
	return fmt.Sprintf("ref %s holds %.60q, no object name; %s", e.Name, e.Text, e.remedy())
}

// remedy distinguishes refs with a reflog, which git can restore, from others.
func (e *BrokenRef) remedy() string {
	switch {
	case e.Name == "HEAD":
		return "git cannot work here until it holds `ref: refs/heads/BRANCH` again"
	case strings.HasPrefix(e.Name, "refs/heads/"), strings.HasPrefix(e.Name, "refs/remotes/"), strings.HasPrefix(e.Name, "refs/notes/"):
		return fmt.Sprintf("restore it from its reflog (`git reflog %s`)", names.ForShell(e.Name))
	}
	return "remove the file and fetch the ref from a clone that has it"
}

// Unwrap returns ErrCorrupt.
func (e *BrokenRef) Unwrap() error { return ErrCorrupt }

// BrokenRefs splits an error of Refs into the broken refs and all other errors. rest is nil if
// there are no others.
func BrokenRefs(err error) (broken []*BrokenRef, rest error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var others []error
		for _, e := range several.Unwrap() {
			more, other := BrokenRefs(e)
			broken, others = append(broken, more...), append(others, other)
		}
		return broken, errors.Join(others...)
	}
	var one *BrokenRef
	if errors.As(err, &one) {
		return []*BrokenRef{one}, nil
	}
	return nil, err
}
