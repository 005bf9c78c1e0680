package gc_test

import (
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// code makes a tool of a skill's folder, with one test.
func code(name, record string) []tree.Edit {
	dir := "skills/" + name + "/"
	return append(skill(name, "Ties as "+name+" does.", ""),
		tree.Edit{Path: dir + "capability.yaml", Content: []byte("kind: tool\nversion: 1.0.0\nlayer: base\nrun: {runtime: bash, entry: scripts/main.sh, timeout: 10s, memory: 64MiB}\ninput: {type: object}\noutput: {type: object}\n" + record)},
		tree.Edit{Path: dir + "scripts/main.sh", Content: []byte("#!/bin/bash\necho {}\n")},
		tree.Edit{Path: dir + "tests.yaml", Content: []byte("cases:\n  - {name: ties, input: {rope: 1}, expect: {equals: {knot: 1}}}\n")})
}

// tested records the result of a tool's tests.
func (p *place) tested(name string, result health.Outcome) {
	p.Helper()
	w, err := p.On(nil)
	p.OK(err)
	cur, err := w.Session(p.Context())
	p.OK(err)
	dir, err := cur.View.Lookup("skills/" + name)
	p.OK(err)
	_, _, err = workspace.HealthOf(cur).Note(p.Context(), health.Evidence{Kind: health.Suite, Outcome: result, At: p.Clock.Truncate(time.Second), Report: "sha256:1"}.Observation(name, dir.Hash.String(), capability.Version("1.0.0")))
	p.OK(err)
}

// TestLastWay: neither what a broken successor supersedes nor what only a broken other way does is archived. Once that works
// again, it is proposed, and what is open is withdrawn when the other one breaks.
func TestLastWay(t *testing.T) {
	for name, edits := range map[string][]tree.Edit{
		"successor": world(code("granny-knot", "status: deprecated\n"), code("reef-knot", "supersedes: granny-knot\n")),
		"sibling":   idleWorld(code("knot", "status: retired\n"), code("granny-knot", "implements: knot\n"), code("reef-knot", "implements: knot\n")),
	} {
		t.Run(name, func(t *testing.T) {
			p := begin(t, last(edits))
			p.record("reef-knot", trial.Loaded)
			p.Clock = p.Clock.Add(40 * 24 * time.Hour)
			p.record("reef-knot", trial.Loaded)
			for _, c := range []struct {
				results []health.Outcome
				outcome string
			}{{[]health.Outcome{health.Passed, health.Failed}, gc.Kept}, {[]health.Outcome{health.Passed}, gc.Proposed}, {[]health.Outcome{health.Failed}, gc.Withdrawn}} {
				for _, r := range c.results {
					p.Clock = p.Clock.Add(time.Hour)
					p.tested("reef-knot", r)
				}
				p.collects(c.outcome, "reef-knot supersedes it, and is in quarantine", name == "successor")
			}
			rejected := begin(t, last(edits))
			rejected.record("reef-knot", trial.Loaded)
			rejected.Clock = rejected.Clock.Add(40 * 24 * time.Hour)
			rejected.record("reef-knot", trial.Loaded)
			rejected.tested("reef-knot", health.Failed)
			rejected.collects(gc.Kept, "reef-knot supersedes it, and is rejected by its tests", name == "successor")
		})
	}
}

// collects checks what gc does about granny-knot, and the reason if it is kept and said is set.
func (p *place) collects(outcome, reason string, said bool) {
	p.Helper()
	got := slices.DeleteFunc(of("archive", p.collect()), func(r gc.Result) bool { return r.Capability != "granny-knot" })
	if len(got) != 1 || got[0].Outcome != outcome || said && outcome == gc.Kept && got[0].Reasons[0] != reason {
		p.Fatalf("want %s: %+v", outcome, got)
	}
}
