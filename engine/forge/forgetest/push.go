package forgetest

import (
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

func testPush(s *suite) {
	p := s.open("pushed")
	jochi := s.Person(s.T, "jochi")
	one := s.commit(p.Head, "skills/one.md", "1")
	req := s.push(p, one)
	p1, err := s.kublai.Forge.Push(s.ctx, p.ID, req)
	s.ok(err)
	s.same("the head", p1.Head, one)
	s.same("the branch", s.Tip(s.T, p.Branch), one)
	_, err = s.kublai.Forge.Push(s.ctx, p.ID, req)
	s.ok(err) // repeated, as after a crash

	two := s.commit(one, "soul/kublai/SOUL.md", "learned")
	_, err = jochi.Forge.Push(s.ctx, p.ID, forge.Push{By: jochi.Actor, Old: one, New: two, Engine: true, Note: "learned entry", At: s.now()})
	s.ok(err)
	rebased := s.commit(s.main(), "skills/rebased.md", "not a descendant")
	last, err := s.kublai.Forge.Push(s.ctx, p.ID, forge.Push{By: s.kublai.Actor, Old: two, New: rebased, At: s.now()})
	s.ok(err)
	s.same("a forced push", s.get(p.ID), last)
	s.same("the branch", s.Tip(s.T, p.Branch), rebased)
	s.same("pushes", pushes(s.activity(p.ID)), []push{
		{s.kublai.Actor, tree.Hash{}, p.Head, false},
		{s.kublai.Actor, p.Head, one, false},
		{jochi.Actor, one, two, true},
		{s.kublai.Actor, two, rebased, false},
	})
	back, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(last, p.Head))
	s.ok(err)
	s.same("back to where it began", back.Head, p.Head)
}

func testPushRefuses(s *suite) {
	p := s.open("refused")
	one := s.commit(p.Head, "skills/one.md", "1")
	two := s.commit(p.Head, "skills/two.md", "2")
	_, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, one))
	s.ok(err)
	_, err = s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, two))
	s.stale("a push based on an older head", err, p.Head, one)
	now := s.get(p.ID)
	for name, change := range map[string]func(*forge.Push){
		"no head":   func(r *forge.Push) { r.New = tree.Hash{} },
		"no time":   func(r *forge.Push) { r.At = time.Time{} },
		"NUL":       func(r *forge.Push) { r.Note = "\x00" },
		"bad UTF-8": func(r *forge.Push) { r.By.Name = "\xff" },
	} {
		req := s.push(now, two)
		change(&req)
		_, err := s.kublai.Forge.Push(s.ctx, p.ID, req)
		s.refused(name, err, forge.ErrRequest)
	}
	missing := s.push(now, tree.BlobHash([]byte("no such commit")))
	if _, err := s.kublai.Forge.Push(s.ctx, p.ID, missing); err == nil {
		s.Error("a head that does not exist: accepted")
	}
	s.same("nothing changed", s.get(p.ID), now)
	s.same("the branch", s.Tip(s.T, p.Branch), one)
	s.same("pushes", len(s.activity(p.ID).Pushes), 2)
}

// testPushByHand pushes to the branch with plain git. The head follows, the push is
// listed without a wrong author, and reviews and merges of the old head are stale.
func testPushByHand(s *suite) {
	p := s.open("by-hand")
	jochi := s.Person(s.T, "jochi")
	s.ok(jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, p.Head, "approve", "")))
	byHand := s.commit(p.Head, "skills/by-hand.md", "x")
	s.Move(s.T, p.Branch, byHand)

	s.same("the head", s.get(p.ID).Head, byHand)
	s.handPush(p, byHand, 2)
	s.stale("a review of the old head", jochi.Forge.Review(s.ctx, p.ID, jochi.Review(p.ID, p.Head, "reject", "no")), p.Head, byHand)
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, s.merge(p))
	s.stale("a merge of the old head", err, p.Head, byHand)
	next := s.commit(byHand, "skills/next.md", "y")
	_, err = s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.stale("a push from the old head", err, p.Head, byHand)
	s.handPush(p, byHand, 2)

	now, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(s.get(p.ID), next))
	s.ok(err)
	s.same("the head after a push on top", now.Head, next)
	s.handPush(p, byHand, 3)
	back := s.commit(s.main(), "skills/back.md", "z")
	s.Move(s.T, p.Branch, back)
	s.ok(s.kublai.Forge.Close(s.ctx, p.ID, s.closing("withdrawn")))
	s.same("the head when closed", s.get(p.ID).Head, back)
	again, err := s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
	s.ok(err)
	s.same("the head when reopened", again.Head, back)
}

// handPush checks that the second push of a pull request was made by hand.
func (s *suite) handPush(p forge.Pull, to tree.Hash, many int) {
	s.Helper()
	all := pushes(s.activity(p.ID))
	if len(all) != many {
		s.Fatalf("%d pushes, want %d", len(all), many)
	}
	got := all[1]
	if got.Old != p.Head || got.New != to || got.Engine {
		s.Errorf("the push by hand reads as %+v", got)
	}
	if got.By == s.kublai.Actor || got.By == s.Person(s.T, "jochi").Actor {
		s.Errorf("the push by hand is said to be by %s", got.By)
	}
}
