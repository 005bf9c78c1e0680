package trial

import (
	"fmt"
	"testing"
)

// said are the trials of one agent, or of a person or the engine.
type said struct {
	by                             Writer
	source                         Source
	agent, model                   string
	successes, failures, faultless int
	// settles counts claimed successes that verdicts of success replaced.
	settles int
}

func (s said) trials(last *ID) (out []Trial) {
	put := func(o Observation) {
		*last = Next(*last, at(0), s.by)
		o.At, o.Source, o.Agent, o.Model, o.Capability, o.Version = at(0), s.source, s.agent, s.model, "a", "1.0.0"
		out = append(out, Trial{FormatVersion, *last, o})
	}
	for range s.successes {
		put(Observation{Level: Loaded, Outcome: Success})
	}
	for range s.failures {
		put(Observation{Level: Loaded, Outcome: Failure})
	}
	for range s.faultless {
		put(Observation{Level: Loaded, Error: "invalid_input"})
	}
	for n := range s.settles {
		put(Observation{Mission: fmt.Sprint("m", n), Outcome: Success, Settles: 1})
	}
	return out
}

// TestLinkRate: failures are weighed against successes of the same origin, and one agent decides nothing.
func TestLinkRate(t *testing.T) {
	listed := []Writer{ben}
	for i := range 13 {
		listed = append(listed, WriterOf(fmt.Append(nil, "installation-", i)))
	}
	here := func(n int, s said) (out []said) { // agents of one installation
		for i := range n {
			s.agent = fmt.Sprint("agent-", i)
			out = append(out, s)
		}
		return out
	}
	agents := func(n int, s said) (out []said) { // each of an installation of its own
		out = here(n, s)
		for i := range out {
			out[i].by = listed[i+1]
		}
		return out
	}
	own := func(source Source, successes, failures int) said {
		return said{by: ana, source: source, successes: successes, failures: failures}
	}
	claim := func(agent string, successes, failures int) said {
		return said{by: ana, source: Self, agent: agent, successes: successes, failures: failures}
	}
	for _, tc := range []struct {
		name  string
		said  []said
		model string
		want  string // the rate, or "unknown"
	}{
		{"nothing", nil, "", "unknown"},
		{"observed: 3 failures of 3", []said{own(Engine, 0, 3)}, "", "0"},
		{"observed: 2 failures of 2", []said{own(Engine, 0, 2)}, "", "unknown"},
		{"observed: 3 failures after 50 successes", []said{own(Human, 50, 3)}, "", "0.943396"},
		{"one agent: 3 failures of 3", []said{claim("a", 0, 3)}, "", "unknown"},
		{"one agent: 3 failures after 50 successes", []said{claim("a", 50, 3)}, "", "unknown"},
		{"three agents: 3 failures of 3", agents(3, said{by: ana, source: Self, failures: 1}), "", "0"},
		{"three agents: 3 failures after 50 successes of ten others", append(agents(10, said{by: ana, source: Self, successes: 5}), said{by: listed[11], source: Self, agent: "x", failures: 1}, said{by: listed[12], source: Self, agent: "y", failures: 1}, said{by: listed[13], source: Self, agent: "z", failures: 1}), "", "0.943396"},
		{"one agent's 3 failures among ten agents with success", append(agents(10, said{by: ana, source: Self, successes: 1}), claim("x", 0, 3)), "", "0.769231"},
		{"one agent's 1000 failures among ten agents with success", append(agents(10, said{by: ana, source: Self, successes: 1}), claim("x", 0, 1000)), "", "0.666667"},
		{"one agent's 1000 successes beside three that failed", append(agents(3, said{by: ana, source: Self, failures: 2}), claim("x", 1000, 0)), "", "0.333333"},
		{"one agent's failures after a person's successes", []said{own(Human, 5, 0), claim("x", 0, 1000)}, "", "1"},
		{"three agents' failures after a person's successes", append(agents(3, said{by: ana, source: Self, failures: 2}), own(Human, 2, 0)), "", "0.25"},
		{"three names of one installation: 3 failures of 3", here(3, said{by: ana, source: Self, failures: 1}), "", "unknown"},
		{"1000 names of one installation against a person's successes", append(here(1000, said{by: ana, source: Self, failures: 9}), own(Human, 5, 0)), "", "1"},
		{"three names of one installation among ten others with success", append(agents(10, said{source: Self, successes: 1}), here(3, said{by: ana, source: Self, failures: 99})...), "", "0.666667"},
		{"one name through three installations: 9 failures", []said{{by: ana, source: Self, agent: "a", failures: 3}, {by: ben, source: Self, agent: "a", failures: 3}, {by: listed[1], source: Self, agent: "a", failures: 3}}, "", "unknown"},
		{"agents' successes hide no observed failures", append(agents(10, said{by: ana, source: Self, successes: 9}), own(Engine, 0, 3)), "", "0"},
		{"three callers' faults", []said{{by: ana, source: Engine, faultless: 3}}, "", "unknown"},
		{"three callers' faults of each of three agents", agents(3, said{by: ana, source: Self, faultless: 3}), "", "unknown"},
		{"a person confirms what an agent claimed", []said{claim("x", 5, 0), {by: ana, source: Human, failures: 3, settles: 5}}, "", "0.625"},
		{"strangers", append(here(9, said{by: cat, source: Self, failures: 9}), said{by: cat, source: Human, failures: 9}), "", "unknown"},
		{"a listed installation", []said{{by: ben, source: Human, failures: 3}}, "", "0"},
		{"the model that fails", []said{{by: ana, source: Human, model: "small", failures: 3}, {by: ana, source: Human, model: "large", successes: 9}}, "small", "0"},
		{"the model that was tried too rarely", []said{{by: ana, source: Human, model: "small", failures: 2}, {by: ana, source: Human, model: "large", successes: 8}}, "small", "0.8"},
	} {
		all := map[Writer][]Trial{}
		last := map[Writer]ID{}
		for _, s := range tc.said {
			id := last[s.by]
			all[s.by] = append(all[s.by], s.trials(&id)...)
			last[s.by] = id
		}
		var b Book
		for w, trials := range all {
			b.Put(w, "all", Sum(trials))
		}
		got := "unknown"
		if rate := b.LinkRate("a", "1.0.0", Trust{Own: ana, Listed: listed}, tc.model); rate != nil {
			got = fmt.Sprint(*rate)
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
