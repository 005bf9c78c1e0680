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

var _ forge.PushWitness = (*Forge)(nil)

// patience is how often a service is asked again who pushed what it shows as pushed by
// nobody, for all branches of a pass together. It tells of a push some moments after it took it,
// and never of accounts that hide what they do. All of it is about a quarter of a minute.
const patience = 24

// WhoPushed implements forge.PushWitness.
func (f *Forge) WhoPushed(ctx context.Context, branch string, commit tree.Hash) (string, []forge.Actor, error) {
	if f.host == nil {
		return "", nil, ErrNoToken
	}
	for attempt := 0; ; attempt++ {
		pushes, err := f.host.Pushes(ctx, branch)
		if errors.Is(err, host.ErrUnknown) {
			return f.host.Name(), []forge.Actor{{}}, nil
		}
		if err != nil {
			return "", nil, fmt.Errorf("ask who pushed %s: %w", branch, err)
		}
		by := brought(pushes, commit)
		if !slices.Contains(by, forge.Actor{}) || f.asked >= patience {
			return f.host.Name(), by, nil
		}
		f.asked++
		if err := f.wait(ctx, attempt+1); err != nil {
			return "", nil, err
		}
	}
}

// brought are the accounts that brought a branch to a commit, by all their pushes since it
// was made the last time before. A commit that the service never saw there is nobody's.
func brought(pushes []host.Push, commit tree.Hash) []forge.Actor {
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
