package local_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/forgetest"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

var epoch = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

// newRepo returns a repository with one commit on main.
func newRepo(t *testing.T) *gitstore.Repo {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := gitstore.Init(t.TempDir())
	must(t, err)
	top, err := r.WriteTree(tree.Hash{}, []tree.Edit{{Path: "README.md", Content: []byte("# A workspace\n")}})
	must(t, err)
	who := gitstore.Person{Name: "Jochi", Email: "jochi@example.org", When: epoch}
	c, err := r.WriteCommit(gitstore.Commit{Tree: top, Author: who, Committer: who, Message: "Begin\n"}, nil)
	must(t, err)
	must(t, r.Update(gitstore.RefUpdate{Name: "refs/heads/main", New: c}))
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tip(t *testing.T, r *gitstore.Repo, ref string) tree.Hash {
	t.Helper()
	h, err := r.Ref(ref)
	if errors.Is(err, gitstore.ErrNoRef) {
		return tree.Hash{}
	}
	must(t, err)
	return h
}

func put(t *testing.T, r *gitstore.Repo, ref string, to tree.Hash) {
	t.Helper()
	if to != tip(t, r, ref) {
		must(t, r.Update(gitstore.RefUpdate{Name: ref, New: to, Any: true}))
	}
}

// person returns a person with a key of their own, who opens the forge as another process
// would.
func person(t *testing.T, f forge.Forge, name string) forgetest.Person {
	t.Helper()
	seed := sha256.Sum256([]byte(name))
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	must(t, err)
	who := forge.Actor{Name: name, Email: name + "@example.org", Key: string(review.FingerprintOf(signer.PublicKey()))}
	serial := 0
	return forgetest.Person{Forge: f, Actor: who, Review: func(id string, head tree.Hash, d review.Decision, reason string) forge.Review {
		serial++
		rec := review.Record{
			V: review.Version, Workspace: "test", Proposal: id, Head: head, Tree: "sha256:" + head.String(), Decision: d, Reason: reason,
			At: epoch.Add(time.Duration(serial) * time.Hour), Nonce: fmt.Sprintf("%s-%016d", name, serial),
		}
		if rec.Reason == "" && d != review.Approve {
			rec.Reason = "because"
		}
		signed, err := review.Sign(rec, signer)
		must(t, err)
		return forge.Review{By: who, Decision: string(d), Reason: rec.Reason, Head: head, Effective: rec.Tree, At: rec.At,
			Record: signed.Record, Signature: signed.Signature}
	}}
}

func harness(t *testing.T, r *gitstore.Repo, f func() forge.Forge) forgetest.Harness {
	t.Helper()
	persons := map[string]forgetest.Person{}
	return forgetest.Harness{
		Repo: r, Signs: true,
		Person: func(t *testing.T, name string) forgetest.Person {
			if _, ok := persons[name]; !ok {
				persons[name] = person(t, f(), name)
			}
			return persons[name]
		},
		Tip:  func(t *testing.T, branch string) tree.Hash { return tip(t, r, "refs/heads/"+branch) },
		Move: func(t *testing.T, branch string, to tree.Hash) { put(t, r, "refs/heads/"+branch, to) },
		Interrupt: func(t *testing.T, at forgetest.Point, id string, do func(forge.Forge)) {
			interrupt(t, r, at, id, func() { do(f()) })
		},
	}
}

// interrupt completes an operation and then resets refs to the state after a prefix of
// its moves. TestOrderOfMoves checks that the order assumed here is the real one.
func interrupt(t *testing.T, r *gitstore.Repo, at forgetest.Point, id string, do func()) {
	t.Helper()
	pull, branch, base := local.PullPrefix+id, "refs/heads/"+forge.BranchPrefix+id, "refs/heads/main"
	before := map[string]tree.Hash{}
	for _, ref := range []string{pull, branch, base} {
		before[ref] = tip(t, r, ref)
	}
	do()
	undo := func(refs ...string) {
		for _, ref := range refs {
			put(t, r, ref, before[ref])
		}
	}
	switch at {
	case forgetest.OpenedHalf, forgetest.ClosedHalf, forgetest.ReopenedHalf:
		undo(branch)
	case forgetest.PushedHalf:
		undo(pull)
	case forgetest.MergeAnnounced, forgetest.MergeMoved:
		last, err := r.Commit(tip(t, r, pull))
		must(t, err)
		put(t, r, pull, last.Parents[0])
		undo(branch)
		if at == forgetest.MergeAnnounced {
			undo(base)
		}
	}
}

func TestConformance(t *testing.T) {
	forgetest.Run(t, func(t *testing.T) forgetest.Harness {
		r := newRepo(t)
		return harness(t, r, func() forge.Forge { return local.New(r) })
	})
}
