package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Outcome is what one pass did and saw.
type Outcome struct {
	reconcile.Pass
	// Pulled and Pushed are nil where no remote was named, or the pass did not get
	// that far.
	Pulled *exchange.Pulled
	Pushed *exchange.Pushed
	// Odd are branches of the inbox that could not be taken.
	Odd []error
}

// Options say how a pass is made.
type Options struct {
	// Remote is pulled from before and pushed to after; "" is none.
	Remote string
	// Inbox is whose inbox is taken where there is no Remote: that of the service, which
	// knows by itself what else is done here.
	Inbox string
	// DryRun only says what would be done here, and asks no remote.
	DryRun bool
	// Since is as for reconcile.Options.
	Since time.Duration
}

// Pass makes one pass. With a remote it takes in what is there before, and publishes
// what is here after; where the first is not possible nothing is done here either,
// so that nothing is merged on a main that others have left behind. What was done is
// published also when a part of the pass failed. On a service, what is done is
// published as it is done, and only its inbox is taken in.
func Pass(ctx context.Context, w *workspace.Workspace, o Options) (Outcome, error) {
	var out Outcome
	var waiting []exchange.Waiting
	asks := o.Remote != "" && !o.DryRun
	if asks {
		pulled, err := exchange.Pull(ctx, w, o.Remote, false)
		if err != nil {
			return out, fmt.Errorf("pull from %s: %w", o.Remote, err)
		}
		if pulled.Held != nil { // nothing is merged on a main that others have left behind
			return out, fmt.Errorf("pull from %s: %w", o.Remote, pulled.Held)
		}
		var odd []error
		if waiting, odd, err = exchange.TakeInbox(ctx, w, o.Remote); err != nil {
			return out, err
		}
		pulled.Problems = append(pulled.Problems, odd...)
		out.Pulled = &pulled
		if pulled.Ahead { // nothing is merged upon a main that the remote lacks
			if _, err := exchange.Push(ctx, w, exchange.Options{Remote: o.Remote}); err != nil {
				return out, fmt.Errorf("push to %s: %w", o.Remote, err)
			}
		}
		exchange.Through(w, o.Remote)
	}
	if o.Inbox != "" && !asks && !o.DryRun {
		var odd []error
		var err error
		if waiting, odd, err = exchange.TakeInbox(ctx, w, o.Inbox); err != nil {
			return out, err
		}
		out.Odd = odd
	}
	var failed error
	out.Pass, failed = reconcile.Run(ctx, w, reconcile.Options{DryRun: o.DryRun, Since: o.Since})
	switch {
	case ctx.Err() != nil:
		return out, failed
	case len(waiting) > 0 && !asks:
		return out, errors.Join(failed, clearInbox(ctx, w, o.Inbox, waiting, nil))
	case !asks:
		return out, failed
	}
	pushed, err := exchange.Push(ctx, w, exchange.Options{Remote: o.Remote})
	if err != nil {
		return out, errors.Join(failed, fmt.Errorf("push to %s: %w", o.Remote, err))
	}
	out.Pushed = &pushed
	return out, errors.Join(failed, clearInbox(ctx, w, o.Remote, waiting, pushed.Held))
}

// clearInbox takes branches out of the remote's inbox that are proposals there by
// now: reconcile took them out of the inbox here, and nothing of them was held back.
func clearInbox(ctx context.Context, w *workspace.Workspace, from string, waiting []exchange.Waiting, held []exchange.Held) error {
	var done []exchange.Waiting
	for _, b := range waiting {
		id := reconcile.IDOf(reconcile.Branch{Name: strings.TrimPrefix(b.Ref, "refs/heads/"), Commit: b.Commit})
		if slices.ContainsFunc(held, func(h exchange.Held) bool { return h.What == id }) {
			continue
		}
		switch _, err := w.Repo.Ref(b.Ref); {
		case errors.Is(err, gitstore.ErrNoRef):
			done = append(done, b)
		case err != nil:
			return err
		}
	}
	return exchange.ClearInbox(ctx, w, from, done)
}
