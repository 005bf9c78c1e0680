package audit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Witness is a signed checkpoint that was kept elsewhere.
type Witness struct {
	// Name is its name in messages, such as its file.
	Name string
	Text []byte
}

// Seen is a checkpoint that was compared with the record.
type Seen struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	Main tree.Hash `json:"main"`
	Key  string    `json:"key"`
	// Signer is the human who owns the key; empty if neither the policies of that time
	// nor the current ones know it.
	Signer string `json:"signer"`
}

// witness is a checkpoint with the results of checking it.
type witness struct {
	Witness
	checkpoint.Checkpoint
	key review.Fingerprint
}

func (w *witness) String() string {
	return fmt.Sprintf("the checkpoint %s of %s", w.Name, w.At.Format(time.DateOnly))
}

// checkpointReader compares the record with checkpoints that were kept elsewhere.
type checkpointReader struct {
	*findings
	*mainLine
	witnesses []*witness
}

// elsewhere is the advice if a checkpoint recorded something that is missing here.
const elsewhere = "assent pull brings a clone that is behind up to date; if that does not help, compare with another clone or a backup, " +
	"and do not approve or merge anything here before it is explained"

// compareAll compares the record with all checkpoints.
//
//defence:audit-witnesses
func (v *checkpointReader) compareAll(ctx context.Context) (*Break, error) {
	for _, w := range v.witnesses {
		var err error
		w.Checkpoint, w.key, err = checkpoint.Open(w.Text)
		if err != nil {
			return v.broken(RuleCheckpoint, "get another copy of the checkpoint: this one was changed after signing", "the checkpoint %s: %v", w.Name, err), nil
		}
		if w.Workspace != v.res.Workspace {
			return v.broken(RuleCheckpoint, "name a checkpoint of this workspace; if this is one, main was replaced: "+backup,
				"%s is of the workspace %s, and this is %s", w, w.Workspace.Short(), v.res.Workspace.Short()).at(w.Workspace, ""), nil
		}
		if b, err := v.compareMain(w); b != nil || err != nil {
			return b, err
		}
		if b, err := v.compareJournals(ctx, w); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// vouchers returns the keys of checkpoints that recorded a merge as in force.
// checkSigners checks later whether the checkpoint is right and who owns the keys.
func (v *checkpointReader) vouchers(c gitstore.Commit) []policy.Actor {
	var out []policy.Actor
	for _, w := range v.witnesses {
		if at, here := v.place[w.InForce]; here && at >= v.place[c.Hash] {
			out = append(out, policy.Actor{Key: w.key})
		}
	}
	return out
}

// compareMain checks that main continues the state in a checkpoint.
func (v *checkpointReader) compareMain(w *witness) (*Break, error) {
	if at, here := v.place[w.Main]; here && at == w.Commits-1 {
		return nil, nil
	}
	var now, then []link
	for _, o := range v.line {
		c, err := v.w.Repo.Passable(o.Hash)
		if err != nil {
			return nil, err
		}
		now = append(now, linkOf(c))
	}
	err := v.w.Repo.Lineage(w.Main, func(c gitstore.Commit) (bool, error) {
		then = append(then, linkOf(c))
		return c.Hash != w.Workspace, nil
	})
	if err != nil {
		then = nil // the recorded tip is not in this repository
	}
	slices.Reverse(then)
	first, how := describeDivergence(then, now, w.Commits)
	return v.broken(RuleCheckpointMain, elsewhere, "main does not continue what %s saw, %s: %s", w, w.Main.Short(), how).at(first, ""), nil
}

func linkOf(c gitstore.Commit) link {
	return link{c.Hash, sha256.Sum256(fmt.Appendf(nil, "%s %d %s", c.Author.Email, c.Author.When.Unix(), c.Message)), "commit " + c.Hash.Short()}
}

// checkSigners checks that a checkpoint names the right commit in force, and that a human
// signed it: one known to the policies of that time, so that people who left remain
// witnesses, or to the current ones, so that a new key can vouch for old states.
//
//defence:audit-checkpoints
func (v *checkpointReader) checkSigners(context.Context) (*Break, error) {
	now, err := v.rolesAt(v.res.InForce)
	if err != nil {
		return nil, err
	}
	for _, w := range v.witnesses {
		right, err := v.wasInForce(w.InForce, w.Main)
		if err != nil {
			return nil, err
		}
		if !right {
			if b := v.broken(RuleCheckpointInForce, backup, "%s says that %s was in force, and history says otherwise", w, w.InForce.Short()).at(w.InForce, ""); b != nil {
				return b, nil
			}
		}
		then := now
		if right {
			if then, err = v.rolesAt(w.InForce); err != nil {
				return nil, err
			}
		}
		seen := Seen{Name: w.Name, At: w.At, Main: w.Main, Key: string(w.key)}
		for _, roles := range []policy.Roles{now, then} {
			if id, known := roles.ByKey(w.key); known && id.Kind == policy.KindHuman {
				seen.Signer = id.Name
			}
		}
		v.res.Witnesses = append(v.res.Witnesses, seen)
		if seen.Signer == "" {
			return v.broken(RuleCheckpointSigner, "have a human who is listed in "+policy.RolesFile+" take one: assent audit checkpoint",
				"%s is signed with %s, which was no human's key then and is none now", w, w.key), nil
		}
	}
	return nil, nil
}

func (v *checkpointReader) rolesAt(inForce tree.Hash) (policy.Roles, error) {
	view, err := v.w.Repo.Snapshot(inForce)
	if err != nil {
		return policy.Roles{}, err
	}
	policies, _ := v.w.PoliciesAt(view)
	return policies.Roles, nil
}

// wasInForce reports whether a commit was in force when main was at tip: it has the
// governed folders in force at its place, and tip is not before it.
func (v *mainLine) wasInForce(commit, tip tree.Hash) (bool, error) {
	at, here := v.place[commit]
	if !here || at > v.place[tip] {
		return false, nil
	}
	governing := v.line[0].Hash
	for _, g := range v.governing {
		if v.place[g] <= at {
			governing = g
		}
	}
	changes, err := attest.Governed(v.w.Repo, governing, commit)
	return len(changes) == 0, err
}

// proposalOf returns the id in the name of a pull request's journal.
func proposalOf(ref string) string {
	id, ok := strings.CutPrefix(ref, local.PullPrefix)
	if !ok || !forge.IsID(id) {
		return ""
	}
	return id
}
