package hosted

import (
	"context"
	"fmt"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/remote"
	"github.com/assent-dev/assent/engine/tree"
)

const mainBranch, mainRef = "main", "refs/heads/main"

// mainThere is where main is on the remote.
func (f *Forge) mainThere(ctx context.Context) (tree.Hash, error) {
	var at tree.Hash
	_, err := remote.Push(ctx, f.repo, f.remote, remote.PushOptions{}, func(there map[string]tree.Hash) ([]remote.Move, error) {
		at = there[mainRef]
		return nil, nil
	})
	return at, err
}

// upToDate refuses a merge upon a main that the remote has not: it could be announced and
// never made.
func (f *Forge) upToDate(ctx context.Context, base tree.Hash) error {
	at, err := f.mainThere(ctx)
	if err != nil || at == base {
		return err
	}
	return f.notAhead(at, base) // where it is behind, the merge finds that main moved
}

// notAhead refuses a main here that goes on from where it is on the remote.
func (f *Forge) notAhead(there, here tree.Hash) error {
	if _, err := f.repo.Commit(there); err != nil {
		return nil //nolint:nilerr // what this clone lacks is ahead of it
	}
	if ahead, err := f.repo.IsAncestor(there, here); err != nil || !ahead {
		return err
	}
	return fmt.Errorf("main has commits here that %s lacks: git push %s main, or take them back", f.remote, f.remote)
}

// seenThere refuses to attest what the service made unless main there is what was judged
// here: whoever took it back meanwhile is not overruled.
func (f *Forge) seenThere(ctx context.Context, id string) error {
	here, err := f.repo.Ref(mainRef)
	if err != nil {
		return err
	}
	at, err := f.mainThere(ctx)
	if err != nil || at == here {
		return err
	}
	if err := f.notAhead(at, here); err != nil {
		return err
	}
	if err := f.sync(ctx, id); err != nil {
		return fmt.Errorf("take in what %s has: %w", f.remote, err)
	}
	return &forge.ErrStale{Ref: mainRef, Want: here, Got: at}
}
