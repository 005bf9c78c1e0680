package hosted

import (
	"context"

	"github.com/assent-dev/assent/engine/git/remote"
)

// BeforePush and AfterPush let a test end an operation around a push to the remote.
func BeforePush(f *Forge, kill func([]remote.Move) error) { f.shared.hub.Before = kill }
func AfterPush(f *Forge, kill func([]remote.Move) error)  { f.shared.hub.Afterwards = kill }

// Patience is how often it is asked again who pushed; Waiting replaces the pauses.
const Patience = patience

func Waiting(f *Forge, wait func()) {
	f.wait = func(context.Context, int) error { wait(); return nil }
}

// Show lets the service show one pull request.
func Show(ctx context.Context, f *Forge, id string) error { return f.page.show(ctx, id) }
