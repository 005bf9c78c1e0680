package workspace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/base/version"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// neverInForce names the answer that a commit was not in force, for one day, one version of the engine
// and one state of the proposals' journals: evidence that is restored can change it.
func neverInForce(s Session, commit tree.Hash) (string, error) {
	state := []byte(version.Engine + s.Now().UTC().Format(time.DateOnly))
	for _, prefix := range []string{local.PullPrefix, local.ClosedPrefix} {
		refs, err := s.Repo.Refs(prefix)
		if _, err = gitstore.BrokenRefs(err); err != nil {
			return "", fmt.Errorf("list the journals: %w", err)
		}
		for _, r := range refs {
			state = append(append(state, r.Name...), r.Hash.String()...)
		}
	}
	return "never " + commit.String() + " " + tree.BlobHash(state).String(), nil
}

// Unforced returns why the merge of a proposal never was in force; empty if it was, or if there is none.
func Unforced(ctx context.Context, s Session, pull forge.Pull) (string, error) {
	if pull.State != forge.Merged {
		return "", nil
	}
	if was, err := WasInForce(ctx, s, pull.Merge); was || err != nil {
		return "", err
	}
	for _, b := range s.Blocked {
		if b.Commit == pull.Merge {
			return b.Why, nil
		}
	}
	return "the gate did not allow it, and it was taken back", nil
}

// WasInForce reports whether a commit is or was in force here. Being on main proves nothing: an
// unattested commit that a later one reverts stays on its first-parent line. So unless the user's
// folder remembers the commit, every merge up to it is judged again, once.
func WasInForce(ctx context.Context, s Session, commit tree.Hash) (bool, error) {
	if commit != s.InForce {
		if known, err := keys.WasInForce(s.ID(), commit.String()); known || err != nil {
			return known, err
		}
		on := false // only the first-parent line is ever judged: heads of proposals cost no judging again
		err := s.Repo.Lineage(s.InForce, func(c gitstore.Commit) (bool, error) {
			on = on || c.Hash == commit
			return !on && c.Hash != s.Genesis, nil
		})
		if err != nil || !on {
			return false, err
		}
		never, err := neverInForce(s, commit)
		if err != nil {
			return false, err
		}
		if known, err := keys.WasInForce(s.ID(), never); known || err != nil {
			return false, err
		}
		then, err := attest.ObserveAt(ctx, s.Repo, commit, attest.Seen{}, judges(s.Workspace, s.judge))
		unfit := errors.Is(err, attest.ErrNoGenesis) || gitstore.IsBadObject(err)
		if err != nil && !unfit {
			return false, err
		}
		if unfit || then.InForce != commit || then.Genesis != s.Genesis {
			_ = keys.SaveInForce(ctx, s.ID(), never)
			return false, nil
		}
	}
	_ = keys.SaveInForce(ctx, s.ID(), commit.String()) // a read-only home costs judging again
	return true, nil
}
