package forgetest

import (
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

// announced returns the attestation of a commit's announcement and how often it is
// announced.
func announced(a forge.Activity, commit tree.Hash) (attestation string, times int) {
	for _, m := range a.Merges {
		if m.Commit == commit {
			attestation, times = string(m.Attestation)+string(m.Signature), times+1
		}
	}
	return attestation, times
}

// merged checks that a pull request is merged by commit exactly as requested, and that
// commit is main's tip.
func (s *suite) merged(p forge.Pull, m forge.Merge, commit tree.Hash) {
	s.Helper()
	s.same("main", s.main(), commit)
	now := s.get(p.ID)
	s.same("the state", now.State, forge.Merged)
	s.same("merged by", now.Merge, commit)
	s.same("the head", now.Head, p.Head)
	c, err := s.Repo.Commit(commit)
	s.ok(err)
	s.same("its parents", c.Parents, []tree.Hash{m.Base, m.Head})
	s.same("its tree", c.Tree, m.Tree)
	s.same("its subject", c.Subject(), m.Title)
	s.same("its proposal", c.Trailer("Assent-Proposal"), p.ID)
	attestation, n := announced(s.activity(p.ID), commit)
	s.same("announced", n, 1)
	s.same("the attestation", attestation, string(m.Attestation)+string(m.Signature))
}

func testMerge(s *suite) {
	p := s.open("merged")
	m := s.merge(p)
	// No merge strategy would produce this tree: only the computed tree is merged.
	var err error
	m.Tree, err = s.Repo.WriteTree(m.Tree, []tree.Edit{{Path: "computed.md", Content: []byte("by the engine")}})
	s.ok(err)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)

	behind := s.open("behind")
	s.Move(s.T, "main", s.commit(s.main(), "README.md", "main moved on"))
	m2 := s.merge(behind)
	m2.Tree, err = s.Repo.WriteTree(m2.Tree, []tree.Edit{{Path: "skills/behind.md", Content: []byte("behind")}})
	s.ok(err)
	commit, err = s.kublai.Forge.Merge(s.ctx, behind.ID, m2)
	s.ok(err)
	s.merged(behind, m2, commit)
}

func testMergeAgain(s *suite) {
	p := s.open("again")
	m := s.merge(p)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	for name, again := range map[string]forge.Merge{
		"the same":         m,
		"with the new tip": s.merge(p),
		"with a new head":  {Head: m.Base, Base: m.Base, Tree: m.Tree, Title: "x", By: m.By, At: s.now()},
	} {
		got, err := s.kublai.Forge.Merge(s.ctx, p.ID, again)
		s.ok(err)
		s.same("merged again, "+name, got, commit)
	}
	s.merged(p, m, commit)
	other := s.open("unrelated")
	_, err = s.kublai.Forge.Merge(s.ctx, other.ID, s.merge(other))
	s.ok(err)
	got, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.same("merged again when main has moved on", got, commit)
}

func testMergeStale(s *suite) {
	p := s.open("stale")
	early := s.merge(p)
	moved := s.commit(s.main(), "README.md", "moved")
	s.Move(s.T, "main", moved)
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, early)
	s.stale("main moved", err, early.Base, moved)
	onTop := s.merge(p)
	next := s.commit(p.Head, "skills/next.md", "x")
	now, err := s.kublai.Forge.Push(s.ctx, p.ID, s.push(p, next))
	s.ok(err)
	_, err = s.kublai.Forge.Merge(s.ctx, p.ID, onTop)
	s.stale("the head moved", err, p.Head, next)
	s.same("main", s.main(), moved)
	s.same("the pull request", s.get(p.ID), now)
	m := s.merge(now)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(now, m, commit)
}

func testMergeRefuses(s *suite) {
	p := s.open("odd")
	tip := s.main()
	for name, change := range map[string]func(*forge.Merge){
		"no tree":       func(m *forge.Merge) { m.Tree = tree.Hash{} },
		"no base":       func(m *forge.Merge) { m.Base = tree.Hash{} },
		"no head":       func(m *forge.Merge) { m.Head = tree.Hash{} },
		"no title":      func(m *forge.Merge) { m.Title = "" },
		"no time":       func(m *forge.Merge) { m.At = time.Time{} },
		"NUL":           func(m *forge.Merge) { m.Message = "a\x00" },
		"a missing one": func(m *forge.Merge) { m.Tree = tree.BlobHash([]byte("no such tree")) },
		"a commit":      func(m *forge.Merge) { m.Tree = m.Head },
	} {
		m := s.merge(p)
		change(&m)
		_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
		s.refused(name, err, forge.ErrRequest)
	}
	s.same("main", s.main(), tip)
	s.same("the pull request", s.get(p.ID), p)
	s.same("announcements", s.activity(p.ID).Merges, []forge.Announcement(nil))
}

// testMerged: a merged pull request stays merged.
func testMerged(s *suite) {
	p := s.open("final")
	m := s.merge(p)
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	for what, err := range s.changes(s.get(p.ID), s.commit(p.Head, "skills/late.md", "x")) {
		s.refused(what, err, forge.ErrMerged)
	}
	_, err = s.kublai.Forge.Reopen(s.ctx, p.ID, s.kublai.Actor, s.now())
	s.refused("reopen", err, forge.ErrMerged)
	s.ok(s.kublai.Forge.Comment(s.ctx, p.ID, forge.Comment{By: s.kublai.Actor, Body: "thanks", At: s.now()}))
	s.same("comments", remarks(s.activity(p.ID)), []remark{{s.kublai.Actor, "", "thanks"}})
	s.merged(p, m, commit)
}
