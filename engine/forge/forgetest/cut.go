package forgetest

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
)

func testCutOpen(s *suite) {
	req := s.opening("cut")
	s.Interrupt(s.T, OpenedHalf, req.ID, func(f forge.Forge) { _, _ = f.Open(s.ctx, req) })
	p, err := s.kublai.Forge.Open(s.ctx, req)
	s.ok(err)
	s.same("the state", p.State, forge.Open)
	s.same("the head", p.Head, req.Head)
	s.same("the branch", s.Tip(s.T, req.Branch), req.Head)
	s.same("listed", s.ids(forge.Filter{State: forge.Open}), []string{req.ID})
	s.same("pushes", pushes(s.activity(req.ID)), []push{{s.kublai.Actor, tree.Hash{}, req.Head, false}})
}

func testCutPush(s *suite) {
	p := s.open("cut")
	next := s.commit(p.Head, "skills/next.md", "x")
	req := s.push(p, next)
	s.Interrupt(s.T, PushedHalf, p.ID, func(f forge.Forge) { _, _ = f.Push(s.ctx, p.ID, req) })
	s.same("the head", s.get(p.ID).Head, next)
	s.same("the branch", s.Tip(s.T, p.Branch), next)
	s.same("the push is seen", len(s.activity(p.ID).Pushes), 2)
	again, err := s.kublai.Forge.Push(s.ctx, p.ID, req)
	s.ok(err)
	s.same("the head", again.Head, next)
	s.same("pushes", pushes(s.activity(p.ID)), []push{
		{s.kublai.Actor, tree.Hash{}, p.Head, false}, {s.kublai.Actor, p.Head, next, false},
	})
}

func (s *suite) cutMerge(at Point) (forge.Pull, forge.Merge) {
	s.Helper()
	p := s.open("cut")
	m := s.merge(p)
	s.Interrupt(s.T, at, p.ID, func(f forge.Forge) { _, _ = f.Merge(s.ctx, p.ID, m) })
	return p, m
}

func testCutMergeAnnounced(s *suite) {
	p, m := s.cutMerge(MergeAnnounced)
	s.same("main", s.main(), m.Base)
	s.same("the state", s.get(p.ID).State, forge.Open)
	s.same("no merge commit", s.get(p.ID).Merge, tree.Hash{})
	s.same("listed", s.ids(forge.Filter{State: forge.Open}), []string{p.ID})
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
}

// testCutMergeReviewed: a decision made after the announcement of a merge, but before the
// merge, is considered.
func testCutMergeReviewed(s *suite) {
	if !s.Signs {
		return // accounts' decisions are read from the service each time
	}
	p, m := s.cutMerge(MergeAnnounced)
	jochi := s.Person(s.T, "jochi")
	s.ok(jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, p.Head, review.RequestChanges, "no")))
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.stale("judged without it", err, p.Head, p.Head)
	s.same("main", s.main(), m.Base)
	m.Reviews, m.At = 1, s.now()
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
}

// testCutMergeSuperseded: an announced merge that was never completed does not block
// later merges.
func testCutMergeSuperseded(s *suite) {
	p, m := s.cutMerge(MergeAnnounced)
	lost := s.activity(p.ID).Merges[0].Commit
	s.Move(s.T, "main", s.commit(m.Base, "README.md", "moved"))
	s.same("the state", s.get(p.ID).State, forge.Open)
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.stale("the old merge", err, m.Base, s.main())

	// The announced commit is merged by hand: main contains it, but not on its
	// first-parent line, so it is not a merge by the forge.
	who, err := s.Repo.Commit(lost)
	s.ok(err)
	side := who
	side.Parents = []tree.Hash{s.main(), lost}
	byHand, err := s.Repo.WriteCommit(side, nil)
	s.ok(err)
	s.Move(s.T, "main", byHand)
	s.same("the announcement", s.activity(p.ID).Merges[0].Commit, lost)
	s.ok(s.kublai.Forge.Comment(s.ctx, p.ID, forge.Comment{By: s.kublai.Actor, Body: "what now?", At: s.now()}))
	if merge := s.get(p.ID).Merge; merge == lost {
		s.Errorf("merged by %s, which is not on main's own line", merge.Short())
	}
}

func testCutMergeMoved(s *suite) {
	p, m := s.cutMerge(MergeMoved)
	commit := s.main()
	s.merged(p, m, commit)
	s.same("listed as open", s.ids(forge.Filter{State: forge.Open}), []string(nil))
	s.same("listed as merged", s.ids(forge.Filter{State: forge.Merged}), []string{p.ID})
	for what, err := range s.changes(p, s.commit(p.Head, "skills/late.md", "x")) {
		s.refused(what, err, forge.ErrMerged)
	}
	again, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.same("merged again", again, commit)
	s.merged(p, m, commit)
	other := s.open("next")
	_, err = s.kublai.Forge.Merge(s.ctx, other.ID, s.merge(other))
	s.ok(err)
	s.same("when main has moved on", s.get(p.ID).Merge, commit)
}

func testCutClose(s *suite) {
	p := s.open("cut")
	req := s.closing("withdrawn")
	s.Interrupt(s.T, ClosedHalf, p.ID, func(f forge.Forge) { _ = f.Close(s.ctx, p.ID, req) })
	s.ok(s.kublai.Forge.Close(s.ctx, p.ID, req))
	s.same("the state", s.get(p.ID).State, forge.Closed)
	s.same("why", s.get(p.ID).Why, "withdrawn")
	again, err := s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
	s.ok(err)
	s.same("the head", again.Head, p.Head)
	s.same("the branch", s.Tip(s.T, p.Branch), p.Head)
}

func testCutReopen(s *suite) {
	p := s.open("cut")
	s.ok(s.kublai.Forge.Close(s.ctx, p.ID, s.closing("withdrawn")))
	at := s.now()
	s.Interrupt(s.T, ReopenedHalf, p.ID, func(f forge.Forge) { _, _ = f.Reopen(s.ctx, p.ID, s.kublai.Actor, at) })
	again, err := s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, at)
	s.ok(err)
	s.same("the state", again.State, forge.Open)
	s.same("the head", again.Head, p.Head)
	s.same("the branch", s.Tip(s.T, p.Branch), p.Head)
	s.same("pushes", len(s.activity(p.ID).Pushes), 1)
	m := s.merge(again)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
}
