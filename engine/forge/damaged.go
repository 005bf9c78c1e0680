package forge

import (
	"errors"
	"fmt"
)

// Damaged says that what a forge has stored about one pull request cannot be
// understood. The other pull requests are not concerned.
type Damaged struct {
	ID string
	// Where it is stored: a ref or an address.
	Where string
	Err   error
}

// Error names the place.
func (d *Damaged) Error() string {
	return fmt.Sprintf("the record of pull request %s at %s is damaged: %v", d.ID, d.Where, d.Err)
}

// Unwrap returns what is wrong with it.
func (d *Damaged) Unwrap() error { return d.Err }

// Damages takes an error of a Forge apart: the records that are damaged, and what
// else went wrong, nil when nothing did. One damaged record must not keep anybody
// from the others, and must not hide that the forge could not be asked.
func Damages(err error) (records []*Damaged, rest error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var others []error
		for _, e := range several.Unwrap() {
			more, other := Damages(e)
			records, others = append(records, more...), append(others, other)
		}
		return records, errors.Join(others...)
	}
	var one *Damaged
	if errors.As(err, &one) {
		return []*Damaged{one}, nil
	}
	return nil, err
}
