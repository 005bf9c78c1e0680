package trial

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
)

// Kept is a record with the writer of its journal.
type Kept struct {
	Writer Writer `json:"writer"`
	Trial
}

// Compare orders records by the time at which they were written.
func (k Kept) Compare(o Kept) int {
	return cmp.Or(k.ID.Compare(o.ID), strings.Compare(string(k.Writer), string(o.Writer)))
}

// Encode writes the record as one line of JSON.
func (k Kept) Encode() ([]byte, error) {
	if !k.Writer.Valid() || !k.ID.By(k.Writer) {
		return nil, fmt.Errorf("the trial %s is not of writer %.80q", k.ID, k.Writer)
	}
	if _, err := k.Trial.Encode(); err != nil {
		return nil, err
	}
	return canonical.Line(k)
}
