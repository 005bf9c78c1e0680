package serve

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/exchange"
	"github.com/assent-dev/assent/engine/reconcile"
	"github.com/assent-dev/assent/engine/workspace"
)

// Outcome is what one pass did and saw.
type Outcome struct {
	reconcile.Pass
	// Pulled and Pushed are nil where no remote was named, or the pass did not get
	// that far.
	Pulled *exchange.Pulled
	Pushed *exchange.Pushed
}

// Options say how a pass is made.
type Options struct {
	// Remote is pulled from before and pushed to after; "" is none.
	Remote string
	// DryRun only says what would be done here, and asks no remote.
	DryRun bool
	// Ready is called when all that is known has come, before anything is done.
	Ready func()
}

// Pass makes one pass. With a remote it takes in what is there before, and publishes
// what is here after; where the first is not possible nothing is done here either,
// so that nothing is merged on a main that others have left behind. What was done is
// published also when a part of the pass failed.
func Pass(ctx context.Context, w *workspace.Workspace, o Options) (Outcome, error) {
	var out Outcome
	asks := o.Remote != "" && !o.DryRun
	if asks {
		pulled, err := exchange.Pull(ctx, w, o.Remote, false)
		if err != nil {
			return out, fmt.Errorf("pull from %s: %w", o.Remote, err)
		}
		out.Pulled = &pulled
	}
	o.Ready()
	var failed error
	if out.Pass, failed = reconcile.Run(ctx, w, o.DryRun); ctx.Err() != nil || !asks {
		return out, failed
	}
	pushed, err := exchange.Push(ctx, w, exchange.Options{Remote: o.Remote})
	if err != nil {
		if failed != nil {
			return out, fmt.Errorf("%w; push to %s: %w", failed, o.Remote, err)
		}
		return out, fmt.Errorf("push to %s: %w", o.Remote, err)
	}
	out.Pushed = &pushed
	return out, failed
}
