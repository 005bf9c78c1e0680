package forgetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// Harness is one forge with a repository for its exclusive use. Its branch main has at
// least one commit.
type Harness struct {
	// Repo is the repository in which the suite writes commits and reads merges. For a
	// hosted forge it is a clone.
	Repo *gitstore.Repo
	// Person connects a person to the forge. The suite uses "kublai", who proposes, and
	// "jochi" and "temujin", who review. The same name is the same person each time.
	Person func(t *testing.T, name string) Person
	// Tip returns the forge's commit of a branch, zero if there is none.
	Tip func(t *testing.T, branch string) tree.Hash
	// Move sets a branch to a commit of Repo without the forge, as `git push --force`
	// does.
	Move func(t *testing.T, branch string, to tree.Hash)
	// Interrupt runs do, which makes one call, and leaves the forge as if the process had
	// been killed at that point. It ignores do's results.
	Interrupt func(t *testing.T, at Point, id string, do func(forge.Forge))
	// Signs reports that authors sign their reviews and the forge checks the signatures.
	// Otherwise the forge vouches for the reviewing accounts.
	Signs bool
}

// Person is a person with an account or a key.
type Person struct {
	// Forge is the forge with this person's credentials.
	Forge forge.Forge
	// Actor is how the forge names this person.
	Actor forge.Actor
	// Review returns a decision in the form that this forge needs. The harness chooses
	// the value of Effective.
	Review func(id string, head tree.Hash, decision review.Decision, reason string) forge.Review
}

// Point is a moment at which a process may be killed.
type Point string

// The moments between two writes. Each is named after the write that is complete.
const (
	// OpenedHalf: either the branch is published or the pull request is open, not both.
	OpenedHalf Point = "open: one of branch and pull request"
	// PushedHalf: the branch moved, and the record does not say by whom.
	PushedHalf Point = "push: branch moved"
	// MergeAnnounced: the attestation is stored, the base branch has not moved.
	MergeAnnounced Point = "merge: announced"
	// MergeMoved: the base branch moved, and nothing was recorded after that.
	MergeMoved Point = "merge: base branch moved"
	// ClosedHalf: the pull request is closed, its branch still exists.
	ClosedHalf Point = "close: branch not removed"
	// ReopenedHalf: either the pull request is open or its branch is restored, not both.
	ReopenedHalf Point = "reopen: one of branch and pull request"
)

// suite is one test's view of a harness.
type suite struct {
	*testing.T
	Harness
	ctx    context.Context
	kublai Person
	clock  time.Time
	serial int
}

func newSuite(t *testing.T, newForge func(*testing.T) Harness) *suite {
	t.Helper()
	h := newForge(t)
	return &suite{T: t, Harness: h, ctx: t.Context(), kublai: h.Person(t, "kublai"),
		clock: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
}

// now returns the time of a clock that advances a minute per call.
func (s *suite) now() time.Time {
	s.clock = s.clock.Add(time.Minute)
	return s.clock
}

// ok stops the test on an error.
func (s *suite) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) same(what string, got, want any) {
	s.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// commit writes a commit on parent that changes one file.
func (s *suite) commit(parent tree.Hash, path, content string) tree.Hash {
	s.Helper()
	base, err := s.Repo.Commit(parent)
	s.ok(err)
	top, err := s.Repo.WriteTree(base.Tree, []tree.Edit{{Path: path, Content: []byte(content)}})
	s.ok(err)
	who := gitstore.Person{Name: "Kublai", Email: "kublai@agents.invalid", When: s.now()}
	h, err := s.Repo.WriteCommit(gitstore.Commit{
		Tree: top, Parents: []tree.Hash{parent}, Author: who, Committer: who, Message: "Change " + path + "\n",
	}, nil)
	s.ok(err)
	return h
}

func (s *suite) main() tree.Hash { s.Helper(); return s.Tip(s.T, "main") }

func (s *suite) treeOf(commit tree.Hash) tree.Hash {
	s.Helper()
	c, err := s.Repo.Commit(commit)
	s.ok(err)
	return c.Tree
}

// fileOf is the path of a proposal's file, by which main has the proposal.
func fileOf(id string) string {
	return names.ProposalPath(id, time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC))
}

// opening returns a request for a pull request with one commit on top of main.
func (s *suite) opening(slug string) forge.Opening {
	s.Helper()
	s.serial++
	id := fmt.Sprintf("%s-%08d", slug, s.serial)
	return forge.Opening{
		ID: id, Title: "Add " + slug, Body: "Why: " + slug, Branch: forge.BranchPrefix + id, Base: "main",
		Head: s.commit(s.main(), fileOf(id), slug), Author: s.kublai.Actor, At: s.now(), Provenance: []byte(`{"way":"draft"}` + "\n"),
	}
}

func (s *suite) open(slug string) forge.Pull {
	s.Helper()
	p, err := s.kublai.Forge.Open(s.ctx, s.opening(slug))
	s.ok(err)
	return p
}

func (s *suite) get(id string) forge.Pull {
	s.Helper()
	p, err := s.kublai.Forge.Get(s.ctx, id)
	s.ok(err)
	return p
}

func (s *suite) activity(id string) forge.Activity {
	s.Helper()
	a, err := s.kublai.Forge.Activity(s.ctx, id)
	s.ok(err)
	return a
}

// merge returns a request to merge a pull request in its current state.
func (s *suite) merge(p forge.Pull) forge.Merge {
	s.Helper()
	top, err := s.Repo.WriteTree(s.treeOf(s.main()), []tree.Edit{{Path: fileOf(p.ID), Content: []byte(p.ID)}})
	s.ok(err)
	return forge.Merge{
		Head: p.Head, Base: s.main(), Tree: top, Title: "Merge " + p.ID, Message: "Assent-Proposal: " + p.ID + "\n",
		By: s.kublai.Actor, At: s.now(), Attestation: []byte(`{"proposal":"` + p.ID + `"}` + "\n"), Signature: []byte("signed\n"),
	}
}

func (s *suite) closing(why string) forge.Closing {
	return forge.Closing{By: s.kublai.Actor, Why: why, Note: "no longer needed", At: s.now()}
}

func (s *suite) push(p forge.Pull, to tree.Hash) forge.Push {
	return forge.Push{By: s.kublai.Actor, Old: p.Head, New: to, Note: "more", At: s.now(), Provenance: []byte(`{"way":"folder"}` + "\n")}
}
