package trial

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// someTrials draws trials of one writer and day: uses, claims, verdicts, tests and critiques.
func someTrials(t *rapid.T) (out []Rolled) {
	w := WriterOf([]byte("writer"))
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var last ID
	pick := func(what string, all ...string) string { return rapid.SampledFrom(all).Draw(t, what) }
	for i := range rapid.IntRange(1, 60).Draw(t, "n") {
		last = Next(last, at.Add(time.Duration(i)*time.Second), w)
		o := Observation{At: at, Source: Engine, Level: Followed, Agent: pick("agent", "", "scout", "marco"), Mission: pick("mission", "", "m-1"), Task: pick("task", "", "a task"),
			Capability: pick("name", "csv", "pdf"), Version: "1.0.0", Blob: pick("blob", fmt.Sprintf("%040d", 1), fmt.Sprintf("%040d", 2)), Outcome: Success,
			MS: 5, Tokens: 7, Cost: 0.000_001_4}
		if pick("tag", "", "eu") != "" {
			o.Tags = []string{"eu"}
		}
		switch pick("kind", "success", "success", "open", "failure", "again", "self", "listed", "verdict", "suite", "critic") {
		case "open":
			o.Outcome = Open
		case "failure":
			o.Outcome, o.Error, o.Diagnosis = Failure, "timeout", "it hung"
		case "again":
			o.Outcome, o.Error, o.Call = Failure, "timeout", "0123456789abcdef"
		case "self":
			o.Source = Self
		case "listed":
			o.Level, o.Outcome = Listed, Open
		case "verdict":
			o.Level, o.Mission, o.Settles = Verdict, "m-1", 2
		case "suite":
			o.Level, o.Diagnosis, o.Tests = Suite, "fail x", &Tests{Mastery: 0.9, Cases: []Case{{"x", "it broke"}}}
			o.Outcome = Outcome(pick("result", "success", "failure", "partial"))
		case "critic":
			o = Observation{At: at, Source: Self, Level: Judged, Agent: o.Agent, Mission: o.Mission, Capability: o.Capability, Critic: &Critique{Satisfaction: 0.5, By: "rules", Issues: []string{"an issue"}}}
		}
		r := Trial{FormatVersion, last, o}
		if _, err := r.Encode(); err != nil {
			t.Fatal(err)
		}
		out = append(out, r.Single())
	}
	return out
}

func roll(t *rapid.T, all []Rolled) []Rolled {
	out, err := Roll(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out {
		line, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeRolled(line); err != nil || !same(again, r) {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return out
}

// TestRoll: a roll-up counts as its trials do, names no mission and has no text of a use, and rolling it
// again changes nothing. A roll-up of some erased trials is recognised, and one with another number is not.
func TestRoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := someTrials(t)
		rolled := roll(t, all)
		if !SumRolled(rolled).Equal(SumRolled(all)) {
			t.Fatalf("counts differ:\n%s\n%s", SumRolled(rolled).Encode(), SumRolled(all).Encode())
		}
		if again := roll(t, rolled); cmp.Diff(again, rolled) != "" {
			t.Fatal(cmp.Diff(again, rolled))
		}
		half := len(all) / 2
		if parts := roll(t, append(roll(t, all[:half]), all[half:]...)); cmp.Diff(parts, rolled) != "" {
			t.Fatal(cmp.Diff(parts, rolled))
		}
		erased := make([]Rolled, len(all))
		for i, r := range all {
			if erased[i] = r; r.Agent == "scout" {
				erased[i].Trial = r.Erase(DayOf(r.ID.Time()))
			}
		}
		now := roll(t, erased)
		if !ErasedRoll(now, rolled) {
			t.Fatal("an erased roll-up is not taken for one")
		}
		now[0].Times++
		if ErasedRoll(now, rolled) {
			t.Fatal("another number is taken for an erasure")
		}
	})
}

// TestRolledForged: sums that so many trials cannot have are refused.
func TestRolledForged(t *testing.T) {
	w := WriterOf([]byte("writer"))
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	good := Rolled{Trial{FormatVersion, Next(ID{}, day, w), Observation{At: day, Source: Engine, Level: Followed, Capability: "csv", Outcome: Success}}, 3}
	if _, err := good.Encode(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Rolled){
		"none":      func(r *Rolled) { r.Times = 0 },
		"negative":  func(r *Rolled) { r.Times = -1 },
		"too many":  func(r *Rolled) { r.Times = maxTimes + 1 },
		"tokens":    func(r *Rolled) { r.Tokens = 4*MaxTokens + 1 },
		"less":      func(r *Rolled) { r.Tokens = -1 },
		"settles":   func(r *Rolled) { r.Settles = 1 },
		"mission":   func(r *Rolled) { r.Mission = "m-1" },
		"text":      func(r *Rolled) { r.Task = "a task" },
		"failures":  func(r *Rolled) { r.Blob, r.Outcome = fmt.Sprintf("%040d", 1), Failure },
		"other day": func(r *Rolled) { r.At = day.AddDate(0, 0, 1) },
	} {
		r := good
		change(&r)
		if _, err := r.Encode(); err == nil {
			t.Errorf("%s: %+v is accepted", name, r)
		}
	}
}
