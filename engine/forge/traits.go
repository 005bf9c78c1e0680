package forge

import (
	"context"
	"errors"

	"github.com/assent-dev/assent/engine/base/tree"
)

// Traits are the properties in which forges differ. Callers ask for these, and never which
// forge it is.
type Traits struct {
	// Remote is the Git remote on which each merge is made first; empty if merges are made
	// in this repository alone.
	Remote string
	// Agreed reports that every other change is made on Remote first, too.
	Agreed bool
	// ReadOnly reports that changes fail: the record is shared through a service, and there
	// is no login for it.
	ReadOnly bool
	// ServiceMerges reports that the service makes the merges, and Queues that it makes them
	// when its own conditions are met.
	ServiceMerges, Queues bool
	// SeesPushers reports that WhoPushed has answers.
	SeesPushers bool
}

// MergeAsker asks the service of a forge to make merges. A merge that the service made is
// in force only when it is attested: see Merge.Made.
type MergeAsker interface {
	// AskMerge asks the service to merge a pull request, provided that its head is still
	// a.Head and the base branch is the same here and there (ErrStale otherwise). queued
	// reports that the service merges it later. Otherwise it is merged, and the base branch
	// here has the merge. Repeating the call changes nothing.
	AskMerge(ctx context.Context, id string, a Asking) (queued bool, err error)
	// Queued reports whether the service is to merge it later, at anyone's request.
	Queued(ctx context.Context, id string) (bool, error)
	// Unqueue cancels a later merge, and reports whether there was one.
	Unqueue(ctx context.Context, id string) (was bool, err error)
}

// PushWitness knows which account pushed to which branch.
type PushWitness interface {
	// WhoPushed returns the accounts that brought a branch to a commit, with all pushes
	// since the branch was made, and the service's name in roles.yaml. The branch need not
	// belong to a pull request. The zero Actor is an account that the service does not name.
	WhoPushed(ctx context.Context, branch string, commit tree.Hash) (service string, by []Actor, err error)
}

// Asking is a merge as a service is asked for it: exactly this head, under a title.
type Asking struct {
	Head  tree.Hash
	Title string
}

// ErrCloser asks the caller to judge a merge again by Closely: there are objections that
// the usual reading does not show.
var ErrCloser = errors.New("there are objections on another pull request of this proposal: read closely")

// ErrNoService is the answer of a forge without a service to requests for one.
var ErrNoService = errors.New("no service shows the pull requests of this repository")

// Unserved is the part of a Forge that concerns services, for forges without one. There is
// nothing to fetch, to show or to wait for.
type Unserved struct{}

// Traits implements Forge.
func (Unserved) Traits() Traits { return Traits{} }

// Refresh implements Forge.
func (Unserved) Refresh(context.Context) error { return nil }

// Tend implements Forge.
func (Unserved) Tend(context.Context) error { return nil }

// Show implements Forge: people read the record itself.
func (Unserved) Show(context.Context, string, tree.Hash, Display) error { return nil }

// AskMerge implements MergeAsker.
func (Unserved) AskMerge(context.Context, string, Asking) (bool, error) { return false, ErrNoService }

// Queued implements MergeAsker.
func (Unserved) Queued(context.Context, string) (bool, error) { return false, nil }

// Unqueue implements MergeAsker.
func (Unserved) Unqueue(context.Context, string) (bool, error) { return false, nil }

// WhoPushed implements PushWitness.
func (Unserved) WhoPushed(context.Context, string, tree.Hash) (string, []Actor, error) {
	return "", nil, ErrNoService
}
