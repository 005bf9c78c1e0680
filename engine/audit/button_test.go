package audit_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
)

// pressed describes a merge by the service's button: its own author, message and date.
type pressed struct {
	message string
	squash  bool
	more    []tree.Edit // that the proposal does not change
	parents []tree.Hash // instead of main and the head
	head    tree.Hash   // instead of the newest
}

// press merges a proposal on the service by its button.
func (s *serviced) press(id string, p pressed) tree.Hash {
	s.Helper()
	pull, err := s.Forge.Get(s.Context(), id)
	s.OK(err)
	if p.head.IsZero() {
		p.head = pull.Head
	}
	commit := s.made(p.head, p)
	s.OK(s.server.As("somebody").MarkMerged(s.Context(), pull.Number, commit))
	return commit
}

// made creates the commit of a merge on the service's main.
func (s *serviced) made(head tree.Hash, p pressed) tree.Hash {
	s.Helper()
	main := s.there("refs/heads/main")
	result, err := s.Result(main, head)
	s.OK(err)
	top, err := s.Repo.WriteTree(result.Tree, p.more)
	s.OK(err)
	parents := []tree.Hash{main, head}
	if p.squash {
		parents = parents[:1]
	}
	if p.parents != nil {
		parents = p.parents
	}
	who := gitstore.Person{Name: "The Service", Email: "noreply@service.invalid", When: s.Tick()}
	commit, err := s.Repo.WriteCommit(gitstore.Commit{Tree: top, Parents: parents, Author: who, Committer: who, Message: "Merge pull request\n" + p.message + "\n"}, nil)
	s.OK(err)
	s.put(commit)
	return commit
}

// put moves the service's main.
func (s *serviced) put(commit tree.Hash) {
	s.Helper()
	s.OK(s.Repo.Update(gitstore.RefUpdate{Name: "refs/tests/main", New: commit, Any: true}))
	storetest.Git(s.T, s.Repo.Top(), "push", "-q", s.hub, "refs/tests/main:refs/heads/main")
}

func (s *serviced) there(ref string) tree.Hash {
	s.Helper()
	hub, err := gitstore.Open(s.hub)
	s.OK(err)
	h, err := hub.Ref(ref)
	s.OK(err)
	return h
}

// approvedThere opens a proposal that both approve on its page.
func (s *serviced) approvedThere(edits ...tree.Edit) string {
	s.Helper()
	id := s.proposed(proposal.Proposal{Goal: "change"}, edits...)
	s.onPage(id, "ada", "approve", "")
	s.onPage(id, "bob", "approve", "")
	return id
}

// stranger returns a clone of the hub by a user who has never seen the workspace.
func (s *serviced) stranger() *workspace.Workspace {
	s.Helper()
	dir := s.TempDir()
	storetest.Git(s.T, dir, "clone", "-q", s.hub, "clone")
	storetest.Git(s.T, dir+"/clone", "fetch", "-q", "origin", "+refs/assent/*:refs/assent/*")
	s.Setenv("ASSENT_HOME", s.TempDir())
	w, err := workspace.Open(dir+"/clone", workspace.Surroundings{Now: s.Tick, Attester: func(workspace.Session) ssh.Signer { return s.Attester }})
	s.OK(err)
	return w
}

// TestMergedByTheButton checks which merges by the service's button an engine attests,
// and that a fresh clone and its audit agree.
func TestMergedByTheButton(t *testing.T) {
	for _, c := range []struct {
		name    string
		without bool   // a witness
		why     string // why it is not attested; empty if it is
		play    func(s *serviced) string
	}{
		{name: "approved on the page", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{})
			return id
		}},
		{name: "squashed", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{squash: true})
			return id
		}},
		{name: "signed reviews", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "tie"}, skill("bowline", "Pull."))
			s.decided(id, s.Ada, review.Approve)
			s.decided(id, s.bob, review.Approve)
			s.press(id, pressed{})
			return id
		}},
		{name: "a message that claims another proposal", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{message: "\nAssent-Proposal: something-00000000\nAssent-Approved-By: everybody"})
			return id
		}},
		{name: "a message that claims the proposal", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{message: "\nAssent-Proposal: " + id + "\nAssent-Risk: low"})
			return id
		}},
		{name: "upon other work on main", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.put(s.Commit("code", []tree.Hash{s.there("refs/heads/main")}, tree.Edit{Path: "README.md", Content: []byte("x\n")}))
			s.press(id, pressed{squash: true})
			return id
		}},
		{name: "nobody here may vouch", without: true, why: "role witness", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "tie"}, skill("bowline", "Pull."))
			s.decided(id, s.Ada, review.Approve)
			s.decided(id, s.bob, review.Approve)
			s.press(id, pressed{})
			return id
		}},
		{name: "nobody approved", why: "when it was merged, it was waiting", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.press(id, pressed{})
			return id
		}},
		{name: "approved after the merge", why: "when it was merged, it was waiting", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.onPage(id, "ada", "approve", "")
			s.press(id, pressed{})
			s.onPage(id, "bob", "approve", "")
			return id
		}},
		{name: "signed after the merge", why: "when it was merged, it was waiting", play: func(s *serviced) string {
			id := s.proposed(proposal.Proposal{Goal: "limits"}, s.limits())
			s.decided(id, s.Ada, review.Approve)
			s.press(id, pressed{})
			s.signedLate(id)
			return id
		}},
		{name: "an objection after the merge", why: "by the present state", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{})
			s.onPage(id, "bob", "request-changes", "wait")
			return id
		}},
		{name: "approvals that expired meanwhile", why: "by the present state", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{})
			s.Clock = s.Clock.AddDate(0, 0, 8)
			return id
		}},
		{name: "a stale head", why: "and the proposal was at", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			p, err := s.Forge.Get(s.Context(), id)
			s.OK(err)
			next := s.Commit("more\n", []tree.Hash{p.Head}, skill("bowline", "Pull harder."))
			_, err = s.Forge.Push(s.Context(), id, forge.Push{By: forge.Actor{Name: "kublai"}, Old: p.Head, New: next, At: s.Tick()})
			s.OK(err)
			s.press(id, pressed{head: p.Head})
			return id
		}},
		{name: "more than the proposal", why: "is not what merging", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.press(id, pressed{more: []tree.Edit{skill("granny", "Slip.")}})
			return id
		}},
		{name: "its tree upon other parents", why: "has 3 parents", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			p, err := s.Forge.Get(s.Context(), id)
			s.OK(err)
			main := s.there("refs/heads/main")
			s.press(id, pressed{parents: []tree.Hash{main, p.Head, s.Commit("x", []tree.Hash{main})}})
			return id
		}},
		{name: "commit by commit", why: "turn rebase merges off", play: func(s *serviced) string {
			id := s.approvedThere(skill("bowline", "Pull."), s.limits())
			s.put(s.Commit("the first part", []tree.Hash{s.there("refs/heads/main")}, s.limits()))
			s.press(id, pressed{squash: true})
			return id
		}},
		{name: "upon what never passed the gate", why: "never passed the gate", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			s.put(s.Commit("by hand", []tree.Hash{s.there("refs/heads/main")}, skill("granny", "Slip.")))
			s.press(id, pressed{})
			return id
		}},
		{name: "taken back before anybody looked", why: "it was reverted", play: func(s *serviced) string {
			id := s.approvedThere(s.limits())
			before := s.there("refs/heads/main")
			commit := s.press(id, pressed{})
			c, err := s.Repo.Commit(before)
			s.OK(err)
			who := gitstore.Person{Name: "The Service", Email: "noreply@service.invalid", When: s.Tick()}
			back, err := s.Repo.WriteCommit(gitstore.Commit{Tree: c.Tree, Parents: []tree.Hash{commit}, Author: who, Committer: who, Message: "Revert\n"}, nil)
			s.OK(err)
			s.put(back)
			return id
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onService(t, !c.without)
			id := c.play(s)
			s.OK(s.Forge.Refresh(s.Context()))
			before, err := s.Session(s.Context())
			s.OK(err)
			out, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
			s.OK(err)
			if attested := c.why == ""; out.Merged != attested || !strings.Contains(out.Refused, c.why) || attested && out.Commit != before.Main {
				t.Fatalf("merged %v as %s, refused %q", out.Merged, out.Commit.Short(), out.Refused)
			}
			if c.why != "" {
				s.notAttested(id, before, out)
				return
			}
			s.attested(id, before.Main)
		})
	}
}

// attested checks that a merge is in force for every reader.
func (s *serviced) attested(id string, commit tree.Hash) {
	s.Helper()
	for name, w := range map[string]*workspace.Workspace{"here": s.Workspace, "a fresh clone": s.stranger()} {
		cur, err := w.Session(s.Context())
		s.OK(err)
		if cur.InForce != commit || cur.Main != commit {
			s.Errorf("%s: in force %s, main %s, want %s: %v", name, cur.InForce.Short(), cur.Main.Short(), commit.Short(), cur.Blocked)
		}
		res, err := audit.Verify(s.Context(), w, nil)
		s.OK(err)
		if res.Broken != nil {
			s.Errorf("%s: the audit: %+v", name, res.Broken)
		}
		log, err := audit.Log(s.Context(), cur, 1, nil)
		s.OK(err)
		if e := log[0]; e.Kind != audit.Merge || e.Proposal != id || !e.Made || !slices.Equal(e.Approvers, []string{"ada", "bob"}) {
			s.Errorf("%s: the log: %+v", name, e)
		}
	}
}

// notAttested checks that a merge is in force for no reader, and that its page says why.
func (s *serviced) notAttested(id string, before workspace.Session, out merge.Outcome) {
	s.Helper()
	cur, err := s.Session(s.Context())
	s.OK(err)
	if cur.InForce != before.InForce {
		s.Errorf("in force %s, was %s", cur.InForce.Short(), before.InForce.Short())
	}
	for range 2 {
		again, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
		s.OK(err)
		if again.Refused == "" {
			s.Error("asked again, it is merged")
		}
	}
	p, err := s.Forge.Get(s.Context(), id)
	s.OK(err)
	comments, err := s.server.As("engine").Comments(s.Context(), p.Number)
	s.OK(err)
	said := 0
	for _, c := range comments {
		if strings.Contains(c.Body, "not in force") && strings.Contains(c.Body, out.Made.String()) {
			said++
		}
	}
	if said != 1 {
		s.Errorf("the page says it %d times: %v", said, comments)
	}
}

// signedLate writes Bob's approval to the record. It is dated within the clock difference
// that is tolerated elsewhere.
func (s *serviced) signedLate(id string) {
	s.Helper()
	s.Clock = s.Clock.Add(-50 * time.Second)
	s.OK(s.Forge.Refresh(s.Context()))
	service := s.Forge
	s.Forge = s.Record // the forge would refuse it
	s.decided(id, s.bob, review.Approve)
	s.Forge = service
	_, err := exchange.Push(s.Context(), s.Workspace, exchange.Options{Remote: "origin", IDs: []string{id}})
	s.OK(err)
}

// TestButtonTwice: several merges by the button come into force one after the other, in
// one pass.
func TestButtonTwice(t *testing.T) {
	s := onService(t, true)
	first, second := s.approvedThere(s.limits()), s.approvedThere(skill("bowline", "Pull."))
	s.press(second, pressed{})
	last := s.press(first, pressed{squash: true})
	s.OK(s.Forge.Refresh(s.Context()))
	pass, err := reconcile.Run(s.Context(), s.Workspace, reconcile.Options{})
	s.OK(err)
	s.attested(first, last)
	if n := len(pass.Results); n < 2 || pass.Results[n-1].Outcome != reconcile.Merged {
		t.Errorf("%+v", pass.Results)
	}
}

// TestButtonRace: of two engines that attest at the same moment, one succeeds, and both
// end in the same state.
func TestButtonRace(t *testing.T) {
	s := onService(t, true)
	id := s.approvedThere(s.limits())
	commit := s.press(id, pressed{})
	other := s.stranger()
	other.Forge = hosted.New(other.Repo, "origin", service{Host: s.server.As("engine"), d: s.world, given: s.given}, s.syncOf(other))
	s.OK(other.Forge.Refresh(s.Context()))
	s.OK(s.Forge.Refresh(s.Context()))
	now := s.Tick()
	s.Now, other.Now = func() time.Time { return now }, func() time.Time { return now }
	type ended struct {
		out merge.Outcome
		err error
	}
	done := make(chan ended, 2)
	for _, w := range []*workspace.Workspace{s.Workspace, other} {
		go func() {
			out, err := merge.Run(context.WithoutCancel(s.Context()), w, id, forge.Actor{Name: "engine"}, false)
			done <- ended{out, err}
		}()
	}
	for range 2 {
		if e := <-done; e.err != nil || !e.out.Merged || e.out.Commit != commit {
			t.Errorf("%+v, %v", e.out, e.err)
		}
	}
	s.Now = s.Tick
	s.OK(s.Forge.Refresh(s.Context()))
	activity, err := s.Record.Activity(s.Context(), id)
	s.OK(err)
	if len(activity.Merges) != 1 {
		t.Errorf("it is announced %d times", len(activity.Merges))
	}
	s.attested(id, commit)
}

// TestButtonUndone: a merge that was attested later can be undone like any other, and
// restoring its tree by hand has no effect.
func TestButtonUndone(t *testing.T) {
	s := onService(t, true)
	id := s.approvedThere(skill("bowline", "Pull."))
	made := s.press(id, pressed{squash: true})
	s.OK(s.Forge.Refresh(s.Context()))
	_, err := merge.Run(s.Context(), s.Workspace, id, forge.Actor{Name: "engine"}, false)
	s.OK(err)
	p, err := s.Forge.Get(s.Context(), id)
	s.OK(err)
	cur, err := s.Session(s.Context())
	s.OK(err)
	r, diags, err := propose.Undo(cur, p)
	s.OK(err)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	r.By, r.Author = forge.Actor{Name: "kublai"}, gitstore.Person{Name: "kublai", Email: "kublai@agents.invalid", When: s.Tick()}
	undo, err := propose.Open(s.Context(), s.Workspace, r)
	s.OK(err)
	s.onPage(undo.Pull.ID, "ada", "approve", "")
	s.onPage(undo.Pull.ID, "bob", "approve", "")
	s.press(undo.Pull.ID, pressed{})
	s.OK(s.Forge.Refresh(s.Context()))
	out, err := merge.Run(s.Context(), s.Workspace, undo.Pull.ID, forge.Actor{Name: "engine"}, false)
	s.OK(err)
	if !out.Merged {
		t.Fatal(out.Refused)
	}
	s.attested(undo.Pull.ID, out.Commit)
	c, err := s.Repo.Commit(made)
	s.OK(err)
	who := gitstore.Person{Name: "The Service", Email: "noreply@service.invalid", When: s.Tick()}
	again, err := s.Repo.WriteCommit(gitstore.Commit{Tree: c.Tree, Parents: []tree.Hash{out.Commit, p.Head}, Author: who, Committer: who, Message: "Merge pull request\n"}, nil)
	s.OK(err)
	s.put(again)
	s.OK(s.Forge.Refresh(s.Context()))
	if cur, err = s.Session(s.Context()); err != nil || cur.InForce != out.Commit || len(cur.Blocked) != 1 {
		t.Errorf("in force %s, %v, %v", cur.InForce.Short(), cur.Blocked, err)
	}
}
