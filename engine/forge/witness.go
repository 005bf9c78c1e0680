package forge

import (
	"context"

	"github.com/assent-dev/assent/engine/base/tree"
)

// PushWitness is a Forge whose service sees which account pushes to which branch. Where
// there is none, nobody sees that.
type PushWitness interface {
	// WhoPushed returns the accounts that brought a branch, which need not be a pull
	// request's, to a commit, with all their pushes since it was made, and how roles.yaml
	// calls the service. The zero Actor among them is somebody whom the service does not
	// name; who always is, where it names nobody at all.
	WhoPushed(ctx context.Context, branch string, commit tree.Hash) (service string, by []Actor, err error)
}
