package forgetest

import (
	"time"

	"github.com/assent-dev/assent/engine/forge"
)

func testAdvise(s *suite) {
	p := s.open("advised")
	a := forge.Advice{By: s.kublai.Actor, Record: []byte(`{"verdict":"escalate"}` + "\n"), At: s.now()}
	m := s.merge(p)
	s.ok(s.kublai.Forge.Advise(s.ctx, p.ID, a))
	s.ok(s.kublai.Forge.Advise(s.ctx, p.ID, a))
	got := s.activity(p.ID).Advice
	s.same("recorded once", len(got), 1)
	s.same("the record", string(got[0].Record), string(a.Record))
	s.same("who asked", got[0].By, a.By)

	for name, bad := range map[string]forge.Advice{
		"no record": {By: s.kublai.Actor, At: s.now()},
		"no time":   {By: s.kublai.Actor, Record: a.Record, At: time.Time{}},
	} {
		s.refused(name, s.kublai.Forge.Advise(s.ctx, p.ID, bad), forge.ErrRequest)
	}

	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.stale("judged without it", err, p.Head, p.Head)
	m.Advice = 1
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
	a.Record = []byte(`{"verdict":"block"}` + "\n")
	s.refused("after the merge", s.kublai.Forge.Advise(s.ctx, p.ID, a), forge.ErrMerged)
}
