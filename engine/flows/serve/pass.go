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
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Outcome is the result of one pass.
type Outcome struct {
	reconcile.Pass
	// Pulled and Pushed are nil without a remote, or if the pass did not get that far.
	Pulled *exchange.Pulled
	Pushed *exchange.Pushed
	// Odd are the errors of inbox branches that could not be fetched.
	Odd []error
}

// Options configure a pass.
type Options struct {
	// Remote is pulled from before the pass and pushed to after it; "" is none.
	Remote string
	// Inbox is the remote whose inbox is fetched if Remote is empty: that of a service,
	// where everything else is published as it is done.
	Inbox string
	// DryRun reports the actions here without taking them, and contacts no remote.
	DryRun bool
	// Since and Workers are as for reconcile.Options.
	Since   time.Duration
	Workers *task.Workers
}

// Pass makes one pass. With a remote it pulls before and pushes after. If the pull fails,
// nothing is done here, so that nothing is merged on an outdated main. Results are pushed
// even if a part of the pass failed. On a service, results are published as they are made,
// and only its inbox is fetched.
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
	out.Pass, failed = reconcile.Run(ctx, w, reconcile.Options{DryRun: o.DryRun, Since: o.Since, Workers: o.Workers})
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

// clearInbox deletes branches of the remote's inbox that are proposals there now: reconcile
// removed them from the inbox here, and nothing of them was held back.
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
