package hosted

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/host"
)

// patience is the number of repeated questions about pushers, for all branches of one
// pass. A service names the account some moments after the push, or never if the account
// hides its activity. All waits together take about 15 seconds.
const patience = 24

// witness asks the service which accounts pushed.
type witness struct {
	host host.Host
	// asked counts repeated questions since the last Tend, and wait pauses between them.
	asked int
	wait  func(ctx context.Context, attempt int) error
}

// WhoPushed implements forge.PushWitness.
func (w *witness) WhoPushed(ctx context.Context, branch string, commit tree.Hash) (string, []forge.Actor, error) {
	if w.host == nil {
		return "", nil, ErrNoToken
	}
	for attempt := 0; ; attempt++ {
		pushes, err := w.host.Pushes(ctx, branch)
		if errors.Is(err, host.ErrUnknown) {
			return w.host.Name(), []forge.Actor{{}}, nil
		}
		if err != nil {
			return "", nil, fmt.Errorf("ask who pushed %s: %w", branch, err)
		}
		by := pushersOf(pushes, commit)
		if !slices.Contains(by, forge.Actor{}) || w.asked >= patience {
			return w.host.Name(), by, nil
		}
		w.asked++
		if err := w.wait(ctx, attempt+1); err != nil {
			return "", nil, err
		}
	}
}

// pushersOf returns the accounts that moved a branch up to a commit, from all pushes
// since its last creation. A commit that the service never saw on the branch belongs to
// the unknown account.
func pushersOf(pushes []host.Push, commit tree.Hash) []forge.Actor {
	var out []forge.Actor
	add := func(login string) {
		if !slices.ContainsFunc(out, func(a forge.Actor) bool { return strings.EqualFold(a.Login, login) }) {
			out = append(out, forge.Actor{Login: login})
		}
	}
	for i, p := range pushes {
		if p.New != commit {
			continue
		}
		for _, p := range slices.Backward(pushes[:i+1]) {
			if p.New.IsZero() {
				break
			}
			add(p.Login)
		}
	}
	if len(out) == 0 {
		add("")
	}
	return out
}
