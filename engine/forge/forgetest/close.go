package forgetest

import (
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

func testClose(s *suite) {
	for _, why := range []string{"withdrawn", "rejected", "expired"} {
		p := s.open(why)
		req := s.closing(why)
		s.ok(s.kublai.Forge.Close(s.ctx, p.ID, req))
		now := s.get(p.ID)
		s.same("the state", now.State, forge.Closed)
		s.same("why", now.Why, why)
		s.same("the head", now.Head, p.Head)
		s.ok(s.kublai.Forge.Close(s.ctx, p.ID, req))
		s.same("closed again", s.get(p.ID), now)
	}
	p := s.open("odd")
	for name, change := range map[string]func(*forge.Closing){
		"no reason":   func(c *forge.Closing) { c.Why = "" },
		"two lines":   func(c *forge.Closing) { c.Why = "a\nb" },
		"no time":     func(c *forge.Closing) { c.At = time.Time{} },
		"NUL in note": func(c *forge.Closing) { c.Note = "\x00" },
	} {
		req := s.closing("withdrawn")
		change(&req)
		s.refused(name, s.kublai.Forge.Close(s.ctx, p.ID, req), forge.ErrRequest)
	}
	s.same("not closed", s.get(p.ID), p)
}

func testClosed(s *suite) {
	p := s.open("closed")
	m := s.merge(p)
	s.ok(s.kublai.Forge.Close(s.ctx, p.ID, s.closing("withdrawn")))
	for what, err := range s.changes(p, s.commit(p.Head, "skills/late.md", "x")) {
		s.refused(what, err, forge.ErrClosed)
	}
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.refused("merge", err, forge.ErrClosed)
	s.same("main", s.main(), m.Base)
	s.ok(s.kublai.Forge.Comment(s.ctx, p.ID, forge.Comment{By: s.kublai.Actor, Body: "I will be back", At: s.now()}))
	s.same("comments", remarks(s.activity(p.ID)), []remark{{s.kublai.Actor, "", "I will be back"}})
	s.same("the state", s.get(p.ID).State, forge.Closed)
}

func testReopen(s *suite) {
	p := s.open("reopened")
	next := s.commit(p.Head, "skills/next.md", "x")
	p, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.ok(err)
	for range 2 {
		s.ok(s.kublai.Forge.Close(s.ctx, p.ID, s.closing("rejected")))
		for range 2 { // the second call finds it open
			again, err := s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
			s.ok(err)
			s.same("the state", again.State, forge.Open)
			s.same("why", again.Why, "")
			s.same("the head", again.Head, next)
			s.same("the branch", s.Tip(s.T, p.Branch), next)
			s.same("what Get says", s.get(p.ID), again)
		}
	}
	s.same("pushes", len(s.activity(p.ID).Pushes), 2)
	last := s.commit(next, "skills/last.md", "y")
	p, err = s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, last))
	s.ok(err)
	m := s.merge(p)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
}

func testReopenRefuses(s *suite) {
	p := s.open("occupied")
	s.ok(s.kublai.Forge.Close(s.ctx, p.ID, s.closing("withdrawn")))
	other := s.commit(s.main(), "skills/other.md", "something else")
	s.Move(s.T, p.Branch, other)
	s.same("the head of what is closed", s.get(p.ID).Head, p.Head)
	_, err := s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
	s.stale("something else stands on the branch", err, p.Head, other)
	s.same("the state", s.get(p.ID).State, forge.Closed)
	s.same("the branch", s.Tip(s.T, p.Branch), other)
	if s.get(p.ID).Merge != (tree.Hash{}) {
		s.Error("a merge commit, though nothing was merged")
	}
}
