package forge_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/forge"
)

func TestDamages(t *testing.T) {
	world := errors.New("the disk is full")
	one, two := &forge.Damaged{ID: "a", Err: world}, &forge.Damaged{ID: "b", Err: world}
	for _, tc := range []struct {
		name    string
		err     error
		records int
		rest    bool
	}{
		{"nothing", nil, 0, false},
		{"a failure", world, 0, true},
		{"one record", fmt.Errorf("look: %w", one), 1, false},
		{"several", errors.Join(one, fmt.Errorf("look: %w", two)), 2, false},
		{"a failure beside a record", errors.Join(one, world), 1, true},
		{"joined twice", errors.Join(errors.Join(one, world), two), 2, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			records, rest := forge.Damages(tc.err)
			if len(records) != tc.records || (rest != nil) != tc.rest {
				t.Errorf("%d records and %v; want %d records, a rest: %v", len(records), rest, tc.records, tc.rest)
			}
		})
	}
}
