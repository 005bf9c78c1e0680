package trial

import (
	"strings"
	"testing"
	"time"
)

// TestEraseForms: an erased record keeps its day, and one that still names something is refused.
func TestEraseForms(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	full := Trial{V: FormatVersion, ID: Next(ID{}, at, WriterOf([]byte("w"))), Observation: Observation{
		At: at, Source: Self, Level: Suite, Agent: "scout", Mission: "m", Task: "a task", Capability: "csv", Outcome: Failure, Diagnosis: "why",
		Tests: &Tests{Cases: []Case{{ID: "one", Cause: "because"}}},
	}}
	full.Source = Engine
	bare := full.Erase(DayOf(at))
	if line, err := bare.Encode(); err != nil || strings.Contains(string(line), "because") || bare.Erased != "2026-11-21" {
		t.Fatalf("%s, %v", line, err)
	}
	if again := bare.Erase(DayOf(at) + 1); again.Erased != bare.Erased || again.Identifies() || !full.Identifies() {
		t.Errorf("erased again on %s", again.Erased)
	}
	if !bare.Erases(full) || !bare.Erases(bare) || full.Erases(bare) {
		t.Error("which record erases which is wrong")
	}
	for _, change := range []func(*Trial){
		func(t *Trial) { t.Agent = "scout" },
		func(t *Trial) { t.Mission = "m" },
		func(t *Trial) { t.Task = "a task" },
		func(t *Trial) { t.Tests.Cases[0].Cause = "because" },
		func(t *Trial) { t.Erased = "yesterday" },
	} {
		wrong := bare
		tests := *bare.Tests
		tests.Cases = []Case{{ID: "one"}}
		wrong.Tests = &tests
		if change(&wrong); wrong.Check() == nil {
			t.Errorf("%+v is accepted", wrong.Observation)
		}
	}
	verdict := Trial{V: FormatVersion, ID: full.ID, Observation: Observation{At: at, Source: Human, Mission: "m", Capability: "csv", Outcome: Success}}
	if _, err := verdict.Erase(DayOf(at)).Encode(); err != nil {
		t.Error(err)
	}
}
