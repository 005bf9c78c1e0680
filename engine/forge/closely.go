package forge

import (
	"context"
	"errors"
)

// ErrCloser asks whoever merges to judge again upon what a forge reads Closely: there are
// objections that what it showed before does not have.
var ErrCloser = errors.New("somebody objected where nobody looks any more: read closely")

type closelyKey struct{}

// Closely marks the reading of somebody who is about to merge, or asks what stands against
// that: a forge reads what was ever said of a pull request, and not only what stands for it
// now.
func Closely(ctx context.Context) context.Context { return context.WithValue(ctx, closelyKey{}, true) }

// ReadsClosely tells whether reading is marked so.
func ReadsClosely(ctx context.Context) bool {
	marked, _ := ctx.Value(closelyKey{}).(bool)
	return marked
}
