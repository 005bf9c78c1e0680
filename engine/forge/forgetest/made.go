package forgetest

import (
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// made returns the request that records a merge of p which the service has made.
func (s *suite) made(p forge.Pull, squash bool) forge.Merge {
	s.Helper()
	m := s.merge(p)
	parents := []tree.Hash{m.Base, m.Head}
	if squash {
		parents = parents[:1]
	}
	who := gitstore.Person{Name: "Service", Email: "noreply@service.invalid", When: s.now()}
	var err error
	m.Made, err = s.Repo.WriteCommit(gitstore.Commit{Tree: m.Tree, Parents: parents, Author: who, Committer: who, Message: "By the button\n"}, nil)
	s.ok(err)
	m.Title, m.Message = "", ""
	s.Move(s.T, "main", m.Made)
	return m
}

// testMergeMade: a merge that the service made is recorded once, by its commit.
func testMergeMade(s *suite) {
	for _, squash := range []bool{false, true} {
		p := s.open("made")
		m := s.made(p, squash)
		s.same("before it is recorded", s.get(p.ID).State, forge.Open)
		for range 2 {
			commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
			s.ok(err)
			s.same("merged by", commit, m.Made)
		}
		now := s.get(p.ID)
		s.same("the state", now.State, forge.Merged)
		s.same("the merge", now.Merge, m.Made)
		s.same("main", s.main(), m.Made)
		attestation, n := announced(s.activity(p.ID), m.Made)
		s.same("announced", n, 1)
		s.same("the attestation", attestation, string(m.Attestation)+string(m.Signature))
	}
}

func testMergeMadeRefuses(s *suite) {
	p := s.open("odd")
	m := s.made(p, false)
	other := m
	other.Tree = s.treeOf(m.Base)
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, other)
	s.refused("another tree", err, forge.ErrRequest)
	other = m
	other.Base = m.Head
	_, err = s.kublai.Forge.Merge(s.ctx, p.ID, other)
	s.refused("another base", err, forge.ErrRequest)
	other = m
	other.Head = m.Base
	_, err = s.kublai.Forge.Merge(s.ctx, p.ID, other)
	s.stale("another head", err, m.Base, p.Head)
	other = m
	other.Made = s.commit(m.Base, "README.md", "not on main")
	other.Tree = s.treeOf(other.Made)
	_, err = s.kublai.Forge.Merge(s.ctx, p.ID, other)
	s.stale("not on main", err, other.Made, s.main())
	s.same("the state", s.get(p.ID).State, forge.Open)
}
