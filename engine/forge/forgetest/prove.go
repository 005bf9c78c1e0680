package forgetest

import (
	"errors"
	"time"

	"github.com/assent-dev/assent/engine/forge"
)

func testProve(s *suite) {
	p := s.open("tested")
	r := forge.Proof{By: s.kublai.Actor, Record: []byte(`{"trials":[]}` + "\n"), At: s.now()}
	m := s.merge(p)
	s.ok(s.kublai.Forge.Prove(s.ctx, p.ID, r))
	s.ok(s.kublai.Forge.Prove(s.ctx, p.ID, r))
	got := s.activity(p.ID).Proofs
	s.same("recorded once", len(got), 1)
	s.same("the record", string(got[0].Record), string(r.Record))
	s.same("who ran them", got[0].By, r.By)

	for name, bad := range map[string]forge.Proof{
		"no record": {By: s.kublai.Actor, At: s.now()},
		"no time":   {By: s.kublai.Actor, Record: r.Record, At: time.Time{}},
	} {
		s.refused(name, s.kublai.Forge.Prove(s.ctx, p.ID, bad), forge.ErrRequest)
	}

	// A signed result is kept apart, and one in between makes the judgement stale.
	signed := forge.Proof{By: s.kublai.Actor, Record: []byte("{}\n"), Signature: []byte("-----BEGIN"), At: s.now()}
	s.ok(s.kublai.Forge.Prove(s.ctx, p.ID, signed))
	s.ok(s.kublai.Forge.Prove(s.ctx, p.ID, signed))
	results := s.activity(p.ID).Results
	s.same("results", len(results), 1)
	s.same("its signature", string(results[0].Signature), string(signed.Signature))
	s.same("tests", len(s.activity(p.ID).Proofs), 1)
	_, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	var stale *forge.ErrStale
	s.same("stale", errors.As(err, &stale), true)
	m.Results = 1

	// Merging runs the tests again, so a record in between makes nothing stale.
	commit, err := s.kublai.Forge.Merge(s.ctx, p.ID, m)
	s.ok(err)
	s.merged(p, m, commit)
	r.Record = []byte(`{"trials":[{}]}` + "\n")
	s.refused("after the merge", s.kublai.Forge.Prove(s.ctx, p.ID, r), forge.ErrMerged)
}
