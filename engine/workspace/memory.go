package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// The commit last seen in force is remembered under the workspace's id in the user's own folder,
// where a push cannot reach it. A hint in the Git folder names this id, so that the genesis need
// not be found by walking the history. A missing or wrong hint costs only that walk: the result is
// compared with history, and with the genesis that the user's folder remembers for this place.

// Memory is the user's own memory of one workspace.
type Memory struct {
	Repo *gitstore.Repo
	Now  func() time.Time
}

// Memory returns the user's own memory of the workspace.
func (w *Workspace) Memory() Memory { return Memory{w.Repo, w.Now} }

func (m Memory) hint() string { return filepath.Join(m.Repo.CommonDir(), "assent", "genesis") }

// hinted reports whether the hint exists and is right.
func (m Memory) hinted(genesis tree.Hash) bool {
	data, err := os.ReadFile(m.hint())
	return err == nil && strings.TrimSpace(string(data)) == genesis.String()
}

// seen returns the state last in force here, as far as the hint leads to it.
func (m Memory) seen() (attest.Seen, error) {
	data, err := os.ReadFile(m.hint())
	if err != nil {
		return attest.Seen{}, nil
	}
	genesis, err := tree.ParseHash(strings.TrimSpace(string(data)))
	if err != nil {
		return attest.Seen{}, nil
	}
	if _, err := m.Repo.Commit(genesis); errors.Is(err, gitstore.ErrNoObject) {
		return attest.Seen{}, nil
	} else if err != nil {
		return attest.Seen{}, fmt.Errorf("read the genesis commit: %w", err)
	}
	return m.lastSeen(genesis)
}

// lastSeen reads the user's memory of the workspace with this genesis.
func (m Memory) lastSeen(genesis tree.Hash) (attest.Seen, error) {
	s, ok, err := keys.LoadState(genesis.String())
	if err != nil {
		return attest.Seen{}, fmt.Errorf("read what was last seen in force: %w", err)
	}
	if !ok {
		return attest.Seen{}, nil
	}
	return attest.Seen{Genesis: s.Genesis, InForce: s.Tip, Judged: s.Judged}, nil
}

// maxPlace bounds the file of place, in bytes.
const maxPlace = 1 << 10

// place is the file of the user's folder that says which workspace this repository
// is, by where it lies.
func (m Memory) place() (home.Store, string, error) {
	dir, err := filepath.Abs(m.Repo.CommonDir())
	if err != nil {
		return home.Store{}, "", err
	}
	sum := sha256.Sum256([]byte(dir))
	user, err := keys.Home()
	return home.At(user), "places/" + hex.EncodeToString(sum[:16]), err
}

// samePlace refuses a main that begins with another genesis than it used to here,
// while the repository still holds the old one. Where it does not, another
// repository has taken the place of the one that was known.
//
//defence:genesis-remembered
func (m Memory) samePlace(genesis tree.Hash) error {
	store, file, err := m.place()
	if err != nil {
		return err
	}
	data, err := store.Read(file, maxPlace)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read which workspace this is: %w", err)
	}
	known, err := tree.ParseHash(strings.TrimSpace(string(data)))
	if err != nil {
		return fmt.Errorf("the file %s in your assent folder does not say which workspace this is; remove it if you know that main is the right one: %w", file, err)
	}
	if known == genesis {
		return nil
	}
	if _, err := m.Repo.Passable(known); errors.Is(err, gitstore.ErrNoObject) {
		return nil // the old genesis is gone, and with it the workspace that was here
	}
	return fmt.Errorf("%w: it began with %s, main now begins with %s; ask those who work on it which of both is theirs, and compare checkpoints. "+
		"This clone stays with %s: clone the other workspace into a folder of its own", attest.ErrReplaced, known.Short(), genesis.Short(), known.Short())
}

// remember records the commit in force, unless another process recorded a newer one. Main must be
// synced first: after a power cut it would seem to have been rolled back.
func (m Memory) remember(ctx context.Context, st attest.Standing) error {
	if err := m.Repo.SyncRef(attest.MainRef); err != nil {
		return err
	}
	err := keys.SaveState(ctx, st.Genesis.String(), func(old keys.State, ok bool) (keys.State, error) {
		if ok && old.Tip != st.InForce {
			if newer, err := m.Repo.IsAncestor(st.InForce, old.Tip); err != nil && !errors.Is(err, gitstore.ErrNoObject) || newer {
				return old, err
			}
		}
		return keys.State{Workspace: st.Genesis.String(), Genesis: st.Genesis, Tip: st.InForce, Judged: st.Judged, SeenAt: m.Now()}, nil
	})
	if err != nil {
		return err
	}
	store, place, err := m.place()
	if err != nil {
		return err
	}
	line := []byte(st.Genesis.String() + "\n")
	if err := store.Write(place, line); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.hint()), 0o755); err != nil {
		return err
	}
	return maybe.WriteFile(m.hint(), line, 0o644)
}

// Saw remembers that a commit is in force, for callers with evidence from outside of the
// repository.
func (m Memory) Saw(ctx context.Context, genesis, inForce tree.Hash) error {
	return m.remember(ctx, attest.Standing{Genesis: genesis, Main: inForce, InForce: inForce})
}

// Remember pins a workspace that was just created here.
func (m Memory) Remember(ctx context.Context, genesis tree.Hash) error {
	return m.remember(ctx, attest.Standing{Genesis: genesis, Main: genesis, InForce: genesis, Judged: genesis})
}

// Forget drops the commit last seen in force here, so that main is judged from genesis. It is for
// users who give up a merge of their own; the workspace stays the same.
func (m Memory) Forget(ctx context.Context) error {
	seen, err := m.seen()
	if err != nil || seen.Genesis.IsZero() {
		return err
	}
	return keys.SaveState(ctx, seen.Genesis.String(), func(keys.State, bool) (keys.State, error) {
		return keys.State{Workspace: seen.Genesis.String(), Genesis: seen.Genesis, Tip: seen.Genesis, SeenAt: m.Now()}, nil
	})
}
