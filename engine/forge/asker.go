package forge

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
)

// MergeAsker is a Forge whose service can be asked to make merges. What it makes is
// nobody's word for anything until it is attested: see Merge.Made.
type MergeAsker interface {
	// AsksForMerges says that the user wants that, and whether it is to be queued.
	AsksForMerges() (asks, queue bool)
	// AskMerge asks the service to merge a pull request, provided that it is still at a.Head
	// and the base branch here is where it is there (ErrStale otherwise). queued says that
	// the service merges it later. Otherwise it is merged, and the base branch here is where
	// it is there by then. Asking again for what is queued or merged changes nothing.
	AskMerge(ctx context.Context, id string, a Asking) (queued bool, err error)
	// Queued tells whether the service is to merge it later, whoever asked for that; false
	// where no service is asked.
	Queued(ctx context.Context, id string) (bool, error)
	// Unqueue takes back that the service is to merge it later, whoever asked for that.
	Unqueue(ctx context.Context, id string) (was bool, err error)
}

// Asking is a merge as a service is asked for it: exactly this head, under a title.
type Asking struct {
	Head  tree.Hash
	Title string
}
