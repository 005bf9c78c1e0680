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
func Damages(err error) (records []*Damaged, rest error) { return apart[*Damaged](err) }

// Astray says that somebody changed on a service, by hand, what no engine sets back there:
// the pull request is left alone, what is said there counts for nothing, and the other
// pull requests are not concerned.
type Astray struct {
	ID string
	// Why is a sentence with what to do.
	Why string
}

// Error names the pull request.
func (a *Astray) Error() string { return a.ID + " " + a.Why }

// Strays takes an error of a Forge apart like Damages.
func Strays(err error) (strays []*Astray, rest error) { return apart[*Astray](err) }

func apart[E error](err error) (found []E, rest error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var others []error
		for _, e := range several.Unwrap() {
			more, other := apart[E](e)
			found, others = append(found, more...), append(others, other)
		}
		return found, errors.Join(others...)
	}
	var one E
	if errors.As(err, &one) {
		return []E{one}, nil
	}
	return nil, err
}
