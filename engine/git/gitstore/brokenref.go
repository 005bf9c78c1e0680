package gitstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
)

// BrokenRef says that the file of a ref holds neither the name of an object nor that
// of another ref: it was cut short, or something else wrote there. It is ErrCorrupt.
// Other refs are not concerned.
type BrokenRef struct {
	Name string
	// Text is what the file holds, without the blanks at its end.
	Text string
}

// Error names the ref and what is likely to bring it back.
func (e *BrokenRef) Error() string {
	return fmt.Sprintf("ref %s holds %.60q, no object name; %s", e.Name, e.Text, e.remedy())
}

// remedy tells the refs that git keeps logs of from those that it does not.
func (e *BrokenRef) remedy() string {
	switch {
	case e.Name == "HEAD":
		return "git works nowhere here until it holds `ref: refs/heads/BRANCH` again"
	case strings.HasPrefix(e.Name, "refs/heads/"), strings.HasPrefix(e.Name, "refs/remotes/"), strings.HasPrefix(e.Name, "refs/notes/"):
		return fmt.Sprintf("restore it from its reflog (`git reflog %s`)", names.ForShell(e.Name))
	}
	return "remove the file and fetch the ref from a clone that has it"
}

// Unwrap returns ErrCorrupt.
func (e *BrokenRef) Unwrap() error { return ErrCorrupt }

// BrokenRefs takes an error of Refs apart: the refs that are broken, and what else
// went wrong, nil when nothing did.
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
