package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/checkpoint"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// Witness is a signed checkpoint as it was kept.
type Witness struct {
	// Name is what messages call it, such as its file.
	Name string
	Text []byte
}

// Seen is a checkpoint that was held against the record.
type Seen struct {
	Name string    `json:"name"`
	At   time.Time `json:"at"`
	Main tree.Hash `json:"main"`
	Key  string    `json:"key"`
	// Signer is the human whose key it is; empty when the policies, those in force then
	// and those in force now, know none.
	Signer string `json:"signer"`
}

// witness is a checkpoint and what was found out about it.
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

// elsewhere is what to do when a checkpoint saw what is not here.
const elsewhere = "assent pull brings a clone that is behind up to date; if that does not help, compare with another clone or a backup, " +
	"and do not approve or merge anything here before it is explained"

// compareAll holds the record against what checkpoints saw.
//
//defence:audit-witnesses
func (v *checkpointReader) compareAll(ctx context.Context) (*Break, error) {
	for _, w := range v.witnesses {
		var err error
		w.Checkpoint, w.key, err = checkpoint.Open(w.Text)
		if err != nil {
			return v.broken(RuleCheckpoint, "take another copy of it: what signed it said nothing else", "the checkpoint %s: %v", w.Name, err), nil
		}
		if w.Workspace != v.res.Workspace {
			return v.broken(RuleCheckpoint, "name a checkpoint of this workspace; if this is one, main was replaced: "+backup,
				"%s is of the workspace %s, and this is %s", w, w.Workspace.Short(), v.res.Workspace.Short()).at(w.Workspace, ""), nil
		}
		if b := v.compareMain(w); b != nil {
			return b, nil
		}
		if b, err := v.compareJournals(ctx, w); b != nil || err != nil {
			return b, err
		}
	}
	return nil, nil
}

// vouchers are the keys of checkpoints that saw a merge in force. Whether a checkpoint is
// right about that, and whose the keys are, is for checkSigners to check before anything holds.
func (v *checkpointReader) vouchers(c gitstore.Commit) []policy.Actor {
	var out []policy.Actor
	for _, w := range v.witnesses {
		if at, here := v.place[w.InForce]; here && at >= v.place[c.Hash] {
			out = append(out, policy.Actor{Key: w.key})
		}
	}
	return out
}

// compareMain checks that main continues what a checkpoint saw.
func (v *checkpointReader) compareMain(w *witness) *Break {
	if at, here := v.place[w.Main]; here && at == w.Commits-1 {
		return nil
	}
	var now, then []link
	for _, c := range v.line {
		now = append(now, linkOf(c))
	}
	err := v.w.Repo.Lineage(w.Main, func(c gitstore.Commit) (bool, error) {
		then = append(then, linkOf(c))
		return c.Hash != w.Workspace, nil
	})
	if err != nil {
		then = nil // what it saw is not even in this repository
	}
	reverse(then)
	first, how := describeDivergence(then, now, w.Commits)
	return v.broken(RuleCheckpointMain, elsewhere, "main does not continue what %s saw, %s: %s", w, w.Main.Short(), how).at(first, "")
}

func linkOf(c gitstore.Commit) link {
	return link{c.Hash, fmt.Sprintf("%s %d %s", c.Author.Email, c.Author.When.Unix(), c.Message), "commit " + c.Hash.Short()}
}

// checkSigners checks that a checkpoint was right about what was in force, and that a
// human signed it: one whom the policies in force then know, so that whoever left since
// remains a witness, or those in force now, so that a new key may vouch for what was.
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

// wasInForce reports whether a commit was in force when main was at tip: it holds
// the governed folders that were in force at its place, and tip is not before it.
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

// proposalOf is the id in the name of a pull request's journal.
func proposalOf(ref string) string {
	id, ok := strings.CutPrefix(ref, pullPrefix)
	if !ok || !forge.IsID(id) {
		return ""
	}
	return id
}
