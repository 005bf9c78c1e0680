package trial

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func critique(w Writer, n int, satisfaction float64) (out []Trial) {
	last := ID{}
	for range n {
		last = Next(last, at(0), w)
		out = append(out, Trial{FormatVersion, last, Observation{
			At: at(0), Source: Self, Level: Judged, Capability: "a", Version: "1.0.0", Critic: &Critique{Satisfaction: satisfaction, By: Rules},
		}})
	}
	return out
}

// TestCritique: a critique has one form and is no use; what may not stand in it is refused.
func TestCritique(t *testing.T) {
	fresh := func() Trial {
		o := critique(ana, 1, 0.73)[0]
		o.Critic.Issues, o.Critic.Recommendations = []string{"slow <&> “dear”"}, []string{"a", "b", "c"}
		return o
	}
	line, err := fresh().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Decode(line); err != nil || back.Critic.Satisfaction != 0.73 || back.Critic.Issues[0] != "slow <&> “dear”" {
		t.Fatal(back, err)
	}
	for name, change := range map[string]func(*Trial){
		"none":         func(o *Trial) { o.Critic = nil },
		"a use":        func(o *Trial) { o.Level = Followed },
		"an outcome":   func(o *Trial) { o.Outcome = Success },
		"tokens":       func(o *Trial) { o.Tokens = 1 },
		"tags":         func(o *Trial) { o.Tags = []string{"eu"} },
		"a model":      func(o *Trial) { o.Model = "large" },
		"above":        func(o *Trial) { o.Critic.Satisfaction = 1.01 },
		"below":        func(o *Trial) { o.Critic.Satisfaction = -0.01 },
		"no number":    func(o *Trial) { o.Critic.Satisfaction = math.NaN() },
		"endless":      func(o *Trial) { o.Critic.Satisfaction = math.Inf(1) },
		"thousandths":  func(o *Trial) { o.Critic.Satisfaction = 0.123 },
		"nobody":       func(o *Trial) { o.Critic.By = "" },
		"two words":    func(o *Trial) { o.Critic.By = "a b" },
		"four remarks": func(o *Trial) { o.Critic.Recommendations = []string{"a", "b", "c", "d"} },
		"an empty one": func(o *Trial) { o.Critic.Issues = []string{""} },
		"a long one":   func(o *Trial) { o.Critic.Issues = []string{strings.Repeat("x", MaxSummary+1)} },
		"a line end":   func(o *Trial) { o.Critic.Issues = []string{"a\nb"} },
	} {
		o := fresh()
		if change(&o); o.Check() == nil {
			t.Errorf("%s is recorded", name)
		}
	}
	o := fresh()
	o.Critic.Issues = []string{"the key sk-ant-REDACTED failed in /home/ana/x\n" + strings.Repeat("long ", 80), "\u200b"}
	kept := o.Summarised(false, "/home/ana")
	if err := kept.Check(); err != nil || len(kept.Critic.Issues) != 1 || strings.Contains(kept.Critic.Issues[0], "/home/ana") || len(o.Critic.Issues) != 2 {
		t.Errorf("%q, %v", kept.Critic.Issues, err)
	}
	if none := o.Summarised(true); len(none.Critic.Issues)+len(none.Critic.Recommendations) != 0 || none.Critic.Satisfaction != 0.73 {
		t.Errorf("summaries: none keeps %+v", none.Critic)
	}
	var m Mission
	m.Add(fresh())
	if !m.Begun.IsZero() {
		t.Error("a critique begins a mission")
	}
	widest := fresh()
	widest.Critic.Issues = []string{strings.Repeat("\U0001F9EA", MaxSummary), strings.Repeat("\"", MaxSummary), strings.Repeat("\u2028", MaxSummary)}
	widest.Critic.Recommendations = widest.Critic.Issues
	if line, err := widest.Encode(); err != nil || len(line) > MaxLine {
		t.Errorf("a record has %d bytes, of at most %d: %v", len(line), MaxLine, err)
	}
}

// TestCritiqueCounts: satisfaction is counted exactly, apart from outcomes.
func TestCritiqueCounts(t *testing.T) {
	all := append(critique(ana, 3, 0.07), critique(ben, 1, 1)...)
	c := Sum(all)
	if back, err := ParseCounts(c.Encode()); err != nil || !back.Equal(c) {
		t.Fatal(back, err)
	}
	var b Book
	b.Put(ana, "all", c)
	b.Put(ben, "all", Sum(tried(ben, "1.0.0", Engine, 1, 0)))
	got := b.Stats(Question{})
	if len(got) != 1 || got[0].Critics != 4 || *got[0].Satisfaction != 0.3 || got[0].Success != 1 || got[0].Verdicts != 0 {
		t.Errorf("%+v", got)
	}
	for _, level := range []string{"critic", "critic-101", "critic-07", "critic--1", "critic-", "critic-1.5"} {
		text := bytes.ReplaceAll(c.Encode(), []byte("critic-100"), []byte(level))
		if _, err := ParseCounts(text); err == nil {
			t.Errorf("the level %s is read", level)
		}
	}
}

// TestCriticsWeighLittle: critiques count as two trials of each writer, and of all unknown writers
// together, and decide nothing.
func TestCriticsWeighLittle(t *testing.T) {
	trust := Trust{Own: ana, Listed: []Writer{ben}}
	strangers := map[Writer][]Trial{ana: tried(ana, "1.0.0", Engine, 20, 0)}
	for n := range 100 {
		w := WriterOf([]byte{byte(n)})
		strangers[w] = critique(w, 100, 0)
	}
	for name, tc := range map[string]struct {
		journals            map[Writer][]Trial
		successes, failures float64
	}{
		"one critique":  {map[Writer][]Trial{ana: critique(ana, 1, 0.25)}, 0.25, 0.75},
		"a thousand":    {map[Writer][]Trial{ana: critique(ana, 1000, 0.25)}, 0.5, 1.5},
		"of two":        {map[Writer][]Trial{ana: critique(ana, 1000, 0), ben: critique(ben, 1000, 1)}, 2, 2},
		"of a stranger": {map[Writer][]Trial{cat: critique(cat, 1000, 0), ana: tried(ana, "1.0.0", Engine, 50, 0)}, 50, 2},
		"of strangers":  {strangers, 20, 2},
	} {
		var b Book
		for w, all := range tc.journals {
			b.Put(w, "all", Sum(all))
		}
		s := b.Of("a", "1.0.0", trust)
		if !near(s.Successes, tc.successes) || !near(s.Failures, tc.failures) {
			t.Errorf("%s: %+v, want %v and %v", name, s.Tally, tc.successes, tc.failures)
		}
		if s := b.Observed("a", "1.0.0", trust); s.Failures != 0 {
			t.Errorf("%s: decides: %+v", name, s.Tally)
		}
	}
}

// TestOpinion: the mean, the newest remarks once each, and a factor within its bounds.
func TestOpinion(t *testing.T) {
	o := NewOpinion()
	if o.Factor() != 1 {
		t.Error(o.Factor())
	}
	for _, text := range []string{"newest", "newest", "older", "oldest", "forgotten"} {
		c := critique(ana, 1, 0.1)[0]
		c.Critic.Issues = []string{text}
		o.Add(c)
	}
	o.Add(good())
	if o.Critics != 5 || *o.Satisfaction != 0.1 || strings.Join(o.Issues, " ") != "newest older oldest" || o.Recommendations == nil {
		t.Errorf("%+v", o)
	}
	for _, s := range []float64{0, 1} {
		worst := NewOpinion()
		for range 10_000 {
			worst.Add(critique(ana, 1, s)[0])
		}
		if f := worst.Factor(); f < 0.9 || f > 1.1 || (f > 1) != (s == 1) {
			t.Error(s, f)
		}
	}
}
