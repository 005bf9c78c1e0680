package hosted

import (
	"context"

	"github.com/assent-dev/assent/engine/git/remote"
)

// BeforePush and AfterPush interrupt an operation around a push to the remote.
func BeforePush(f *Forge, kill func([]remote.Move) error) { f.shared.hub.Before = kill }
func AfterPush(f *Forge, kill func([]remote.Move) error)  { f.shared.hub.Afterwards = kill }

// Patience is the number of repeated questions about pushers; Waiting replaces the
// pauses.
const Patience = patience

func Waiting(f *Forge, wait func()) {
	f.wait = func(context.Context, int) error { wait(); return nil }
}

// Show updates one pull request on the service.
func Show(ctx context.Context, f *Forge, id string) error { return f.page.show(ctx, id) }
