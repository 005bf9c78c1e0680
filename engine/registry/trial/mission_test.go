package trial

import (
	"errors"
	"slices"
	"testing"
)

// mission records observations, the first at the beginning, and returns the mission and the trials.
func mission(all ...Observation) (*Mission, []Trial) {
	var trials []Trial
	var last ID
	for _, o := range all {
		last = Next(last, at(0), ana)
		o.At, o.Mission = at(0), "m"
		trials = append(trials, Trial{FormatVersion, last, o})
	}
	m := &Mission{ID: "m"}
	for _, t := range slices.Backward(trials) {
		m.Add(t)
	}
	return m, trials
}

func linked(name string) Observation {
	return LinkOf(Observation{Capability: name, Version: "1.0.0", Model: "large", Tags: []string{"eu"}, Task: "clean it", InputSummary: "clean"})
}

func used(name string, level Level, o Outcome, tags ...string) Observation {
	return Observation{Source: Engine, Capability: name, Version: "1.0.0", Model: "large", Tags: tags, Level: level, Outcome: o}
}

// TestMission: a mission's record names what it was linked with and what it used, and not what
// others listed.
func TestMission(t *testing.T) {
	listed := linked("seen")
	listed.Source = Self
	m, _ := mission(linked("a"), linked("b"), listed, used("a", Loaded, Open, "eu"), used("a", Followed, Failure, "eu"), used("found", Followed, Success))
	if !m.Linked || m.Task != "clean it" || m.Model != "large" || m.Outcome != Open || m.Begun.IsZero() || len(m.Uses) != 3 {
		t.Fatalf("%+v", m)
	}
	for _, u := range m.Uses {
		switch u.Capability {
		case "a":
			if !u.Linked || u.For != "clean" || u.Loaded != 1 || u.Followed != 1 || u.Failure != 1 || !u.Used() {
				t.Errorf("%+v", u)
			}
		case "b":
			if !u.Linked || u.Used() {
				t.Errorf("%+v", u)
			}
		case "found":
			if u.Linked || u.Success != 1 || !u.Used() {
				t.Errorf("%+v", u)
			}
		}
	}
	other := &Mission{ID: "n"}
	if other.Add(Trial{Observation: Observation{Mission: "m", Level: Followed}}); !other.Begun.IsZero() {
		t.Errorf("%+v", other)
	}
}

// TestMissionVerdicts: the outcome weighs once on all that was linked or used, in the context of the
// use; it replaces successes, also those of an earlier verdict, and failures remain.
func TestMissionVerdicts(t *testing.T) {
	uses := []Observation{
		linked("a"), linked("b"), linked("c"),
		used("a", Followed, Success, "eu"), used("a", Followed, Success, "eu"), used("a", Followed, Failure, "eu"), used("c", Loaded, Open, "us"),
	}
	verdicts := func(all []Observation, o Outcome) []Observation {
		m, _ := mission(all...)
		out, err := m.Verdicts(Observation{Source: Human, Outcome: o, Tokens: 9})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := verdicts(uses, Success)
	want := map[string]int{"a": 2, "b": 0, "c": 0}
	for _, v := range first {
		if settles, known := want[v.Capability]; !known || v.Settles != settles || v.Level != Verdict || v.Mission != "m" || v.Tokens != 0 || v.Capability == "c" && v.Tags[0] != "us" {
			t.Errorf("%+v", v)
		}
		delete(want, v.Capability)
	}
	if len(want) > 0 {
		t.Errorf("no verdict on %v", want)
	}
	tally := func(all []Observation, name string) Tally {
		_, trials := mission(all...)
		var b Book
		b.Put(ana, "all", Sum(trials))
		return b.Of(name, "1.0.0", Trust{Own: ana}).Tally
	}
	success := slices.Concat(uses, first)
	twice := slices.Concat(success, verdicts(success, Success))
	taken := slices.Concat(success, verdicts(success, Failure))
	for name, want := range map[string][3]Tally{"a": {{1, 1}, {1, 1}, {0, 2}}, "b": {{1, 0}, {1, 0}, {0, 1}}, "c": {{1, 0}, {1, 0}, {0, 1}}} {
		if got := [3]Tally{tally(success, name), tally(twice, name), tally(taken, name)}; got != want {
			t.Errorf("%s: after success, the same again, and failure: %v, want %v", name, got, want)
		}
	}
	m, _ := mission(taken...)
	var ended *EndedError
	if _, err := m.Verdicts(Observation{Source: Human, Outcome: Success}); !errors.As(err, &ended) || ended.Outcome != Failure {
		t.Errorf("a mission that failed takes another verdict: %v", err)
	}
	if _, err := (&Mission{ID: "m"}).Verdicts(Observation{Outcome: Success}); !errors.Is(err, ErrUnused) {
		t.Error(err)
	}
}
