package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// ErrAnchor means that the repository does not descend from an anchor. This machine's memory of
// the workspace did not change.
var ErrAnchor = errors.New("the repository does not descend from the anchor")

// Anchored is an anchor with the fields that a signed checkpoint adds; both are zero without a
// checkpoint.
type Anchored struct {
	checkpoint.Anchor
	// Main is the tip of main in the checkpoint.
	Main tree.Hash
	// Key is the checkpoint's signing key.
	Key review.Fingerprint
}

// CheckAnchor compares this repository with a commit that another user saw in force. It
// returns the owner of a checkpoint's key. The invariant, on which Saw relies: main
// begins with the anchor's workspace, its first-parent line holds the anchor's commit,
// and this commit is in force there when everything since genesis is judged here.
//
// So the anchor brings nothing into force by itself. It can only refuse.
func (w *Workspace) CheckAnchor(ctx context.Context, a Anchored) (signer string, err error) {
	tip, err := w.Repo.Ref(attest.MainRef)
	if errors.Is(err, gitstore.ErrNoRef) {
		return "", attest.ErrNoMain
	}
	if err != nil {
		return "", err
	}
	genesis, err := attest.Begins(ctx, w.Repo, tip, attest.Seen{})
	if err != nil {
		return "", err
	}
	//defence:anchors-name-the-workspace
	if genesis != a.Workspace {
		return "", fmt.Errorf("%w: this is workspace %s, and the anchor is for %s", ErrAnchor, genesis.Short(), a.Workspace.Short())
	}
	//defence:anchors-are-on-main
	if err := onMain(ctx, w, tip, a); err != nil {
		return "", err
	}
	if err := wasInForce(ctx, w, a); err != nil || a.Key == "" {
		return "", err
	}
	return signerOf(w, a)
}

// onMain checks that main's first-parent line holds the commits that the anchor names.
func onMain(ctx context.Context, w *Workspace, tip tree.Hash, a Anchored) error {
	for _, h := range []tree.Hash{a.Commit, a.Main} {
		if h.IsZero() {
			continue
		}
		_, err := attest.Begins(ctx, w.Repo, tip, attest.Seen{Genesis: a.Workspace, InForce: h})
		if errors.Is(err, attest.ErrRollback) {
			return fmt.Errorf("%w: main, at %s, does not hold %s, which was on main in the anchor: it is behind, or was rolled back or rewritten", ErrAnchor, tip.Short(), h.Short())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wasInForce judges everything from genesis to the anchor's commit. As in an audit, a
// checkpoint's signer vouches for merges that another version let pass.
func wasInForce(ctx context.Context, w *Workspace, a Anchored) error {
	var vouchers []policy.Actor
	if a.Key != "" {
		vouchers = append(vouchers, policy.Actor{Key: a.Key})
	}
	judge := func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := w.Rejudge(ctx, before, c, vouchers...)
		return err
	}
	then, err := attest.ObserveAt(ctx, w.Repo, a.Commit, attest.Seen{}, judges(w, judge))
	if err != nil {
		return err
	}
	//defence:anchors-were-in-force
	if then.InForce != a.Commit {
		return fmt.Errorf("%w: %s was in force when the anchor was made, but is not in force here: %s", ErrAnchor, a.Commit.Short(), firstBlocked(then))
	}
	return nil
}

// firstBlocked returns the first blocked commit and its reason.
func firstBlocked(st attest.Standing) string {
	if len(st.Blocked) == 0 {
		return "no attested merge leads to it"
	}
	return st.Blocked[0].Commit.Short() + ": " + st.Blocked[0].Why
}

// signerOf returns the human who signed a checkpoint, by the policies at its commit.
func signerOf(w *Workspace, a Anchored) (string, error) {
	view, err := w.Repo.Snapshot(a.Commit)
	if err != nil {
		return "", err
	}
	policies, _ := w.PoliciesAt(view)
	id, known := policies.Roles.ByKey(a.Key)
	//defence:anchors-are-signed-by-humans
	if !known || id.Kind != policy.KindHuman {
		return "", fmt.Errorf("%w: the checkpoint is signed with %s, which %s lists for no human at %s", ErrAnchor, a.Key, policy.RolesFile, a.Commit.Short())
	}
	return id.Name, nil
}
