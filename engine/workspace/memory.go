package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/attest"
	"github.com/assent-dev/assent/engine/gitstore"
	"github.com/assent-dev/assent/engine/keys"
	"github.com/assent-dev/assent/engine/tree"
)

// What was last seen in force is remembered under the workspace's id in the
// user's own folder, where a push cannot reach it. Which id that is stands in a
// hint inside the Git folder, so that nobody has to walk the whole history to
// find the genesis; a hint that is missing or wrong costs that walk and nothing
// else, because what it leads to is compared with history all the same.

func (w *Workspace) hint() string { return filepath.Join(w.Repo.CommonDir(), "assent", "genesis") }

// hinted reports whether the hint is there.
func (w *Workspace) hinted() bool {
	_, err := os.Stat(w.hint())
	return err == nil
}

// seen returns what was last in force here, as far as the hint tells.
func (w *Workspace) seen() (attest.Seen, error) {
	data, err := os.ReadFile(w.hint())
	if err != nil {
		return attest.Seen{}, nil
	}
	genesis, err := tree.ParseHash(strings.TrimSpace(string(data)))
	if err != nil {
		return attest.Seen{}, nil
	}
	if _, err := w.Repo.Commit(genesis); errors.Is(err, gitstore.ErrNoObject) {
		return attest.Seen{}, nil
	} else if err != nil {
		return attest.Seen{}, fmt.Errorf("read the genesis commit: %w", err)
	}
	return w.lastSeen(genesis)
}

// lastSeen reads the user's memory of the workspace with this genesis.
func (w *Workspace) lastSeen(genesis tree.Hash) (attest.Seen, error) {
	s, ok, err := keys.LoadState(genesis.String())
	if err != nil {
		return attest.Seen{}, fmt.Errorf("read what was last seen in force: %w", err)
	}
	if !ok {
		return attest.Seen{}, nil
	}
	return attest.Seen{Genesis: s.Genesis, InForce: s.Tip}, nil
}

// remember records what is in force, unless another process saw more.
func (w *Workspace) remember(ctx context.Context, st attest.Standing) error {
	err := keys.SaveState(ctx, st.Genesis.String(), func(old keys.State, ok bool) (keys.State, error) {
		if ok && old.Tip != st.InForce {
			if newer, err := w.Repo.IsAncestor(st.InForce, old.Tip); err == nil && newer {
				return old, nil
			}
		}
		return keys.State{Workspace: st.Genesis.String(), Genesis: st.Genesis, Tip: st.InForce, SeenAt: w.Now()}, nil
	})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(w.hint()), 0o755); err != nil {
		return err
	}
	return maybe.WriteFile(w.hint(), []byte(st.Genesis.String()+"\n"), 0o644)
}

// Remember pins a workspace that was just made here.
func (w *Workspace) Remember(ctx context.Context, genesis tree.Hash) error {
	return w.remember(ctx, attest.Standing{Genesis: genesis, Main: genesis, InForce: genesis})
}
