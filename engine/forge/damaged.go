package forge

import (
	"errors"
	"fmt"
)

// Damaged reports that the stored record of one pull request cannot be read. Other pull
// requests are unaffected.
type Damaged struct {
	ID string
	// Where is the ref or address of the record.
	Where string
	Err   error
}

// Error implements error and names the place.
func (d *Damaged) Error() string {
	return fmt.Sprintf("the record of pull request %s at %s is damaged: %v", d.ID, d.Where, d.Err)
}

// Unwrap returns the cause.
func (d *Damaged) Unwrap() error { return d.Err }

// Damages splits an error of a Forge into damaged records and the remaining error, nil if
// there is none. One damaged record must not hide the others, or that the forge is
// unreachable.
func Damages(err error) (records []*Damaged, rest error) { return apart[*Damaged](err) }

// Astray reports that a pull request was changed by hand on a service in a way that no
// engine undoes. The engine leaves that pull request alone and ignores what people write
// there. Other pull requests are unaffected.
type Astray struct {
	ID string
	// Why is a sentence that also says what to do.
	Why string
}

// Error implements error and names the pull request.
func (a *Astray) Error() string { return a.ID + " " + a.Why }

// Strays splits an error of a Forge into Astray errors and the rest, like Damages.
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
