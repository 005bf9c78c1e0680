package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/format/capability"
)

// drawn is a journal of one writer: trials with growing ids.
func drawn(t *rapid.T, w Writer, most int) []Trial {
	var out []Trial
	last := ID{}
	for range rapid.IntRange(0, most).Draw(t, "trials") {
		last = Next(last, at(rapid.IntRange(0, 3).Draw(t, "day")), w)
		o := Observation{
			At: at(0), Source: rapid.SampledFrom(Sources()).Draw(t, "source"), Level: rapid.SampledFrom(append(Levels(), Verdict)).Draw(t, "level"),
			Agent: rapid.SampledFrom([]string{"", "kublai", "temur"}).Draw(t, "agent"), Model: rapid.SampledFrom([]string{"", "small", "large"}).Draw(t, "model"), Mission: "m",
			Tags: [][]string{nil, {"csv"}, {"csv", "eu"}}[rapid.IntRange(0, 2).Draw(t, "tags")], Capability: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"),
			Version: capability.Version(rapid.SampledFrom([]string{"", "1.0.0", "1.1.0", "2.0.0"}).Draw(t, "version")),
			Outcome: rapid.SampledFrom(append(Outcomes(), Open)).Draw(t, "outcome"), MS: rapid.Int64Range(0, 1000).Draw(t, "ms"), Cost: float64(rapid.IntRange(0, 9).Draw(t, "cost")) / 10,
		}
		if o.Level == Listed {
			o.Outcome = Open
		}
		if o.Level == Verdict {
			o.Outcome, o.Settles = Failure, rapid.IntRange(0, 3).Draw(t, "settles")
		}
		if rapid.IntRange(0, 3).Draw(t, "critic") == 0 {
			o = Observation{At: o.At, Source: o.Source, Level: Judged, Agent: o.Agent, Capability: o.Capability, Version: o.Version, Critic: &Critique{Satisfaction: float64(rapid.IntRange(0, 100).Draw(t, "satisfaction")) / 100, By: Rules}}
		}
		out = append(out, Trial{FormatVersion, last, o})
	}
	return out
}

// answers are all that a book answers, with every trust.
func answers(b *Book) string {
	var out strings.Builder
	for _, trust := range []Trust{{}, {Own: ana}, {Own: ana, Listed: []Writer{ben}}} {
		for _, name := range []string{"a", "b", "c"} {
			for _, v := range []capability.Version{"", "1.0.0", "1.1.0", "2.0.0"} {
				fmt.Fprintln(&out, name, v, b.Of(name, v, trust), b.Observed(name, v, trust))
			}
		}
	}
	for _, by := range Dimensions() {
		lines, _ := json.Marshal(b.Stats(Question{By: []Dimension{by}}))
		fmt.Fprintln(&out, string(lines))
	}
	return out.String()
}

// TestBookIsAUnion: trials give one book, in whatever parts, order and repetition they come,
// and all at once or one by one.
func TestBookIsAUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole, inParts Book
		type put struct {
			w    Writer
			name string
			c    Counts
		}
		var puts []put
		for _, w := range []Writer{ana, ben} {
			all := drawn(t, w, 30)
			whole.Put(w, "all", Sum(all))
			twice := append(slices.Clone(all), all...)
			rand.Shuffle(len(twice), func(i, j int) { twice[i], twice[j] = twice[j], twice[i] })
			if !Sum(twice).Equal(Sum(all)) {
				t.Fatal("trials that come twice count twice, or their order counts")
			}
			one := Counts{}
			for _, tr := range all {
				one = one.Plus(Sum([]Trial{tr}))
			}
			if !one.Equal(Sum(all)) {
				t.Fatal("one by one is not all at once")
			}
			for n := 0; len(all) > 0; n++ {
				size := rapid.IntRange(1, len(all)).Draw(t, "size")
				puts = append(puts, put{w, fmt.Sprint(n), Sum(all[:size])}, put{w, fmt.Sprint(n), Sum(all[:size])}, put{w, "gone", Sum(all[:1])})
				all = all[size:]
			}
		}
		rand.Shuffle(len(puts), func(i, j int) { puts[i], puts[j] = puts[j], puts[i] })
		for _, p := range puts {
			inParts.Put(p.w, p.name, p.c)
		}
		for _, w := range []Writer{ana, ben} {
			inParts.Put(w, "gone", nil)
		}
		if a, b := answers(&whole), answers(&inParts); a != b {
			t.Fatalf("%s\n%s", a, b)
		}
		first := answers(&whole)
		for range 3 {
			if again := answers(&whole); again != first {
				t.Fatalf("one question has several answers\n%s\n%s", first, again)
			}
		}
	})
}

// TestCountsFile: counts have one text, and are read back from it.
func TestCountsFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Sum(drawn(t, ana, 40))
		text := c.Encode()
		back, err := ParseCounts(text)
		if err != nil || !back.Equal(c) || !bytes.Equal(back.Encode(), text) {
			t.Fatalf("%v\n%s", err, text)
		}
	})
	head := countsHeader
	line := "2026-11-21\ta\t1.0.0\tcsv,eu\tm\tk\tengine\tfollowed\t2\t1\t1\t0\t30\t9\t100\n"
	if c, err := ParseCounts([]byte(head + line)); err != nil || len(c) != 1 {
		t.Fatal(c, err)
	}
	for name, text := range map[string]string{
		"another version": strings.Replace(head, "1", "2", 1) + line,
		"cut":             head + line[:len(line)-1],
		"twice":           head + line + line,
		"a day":           head + strings.Replace(line, "2026-11-21", "2026-11-31", 1),
		"a name":          head + strings.Replace(line, "\ta\t", "\tA\t", 1),
		"tags":            head + strings.Replace(line, "csv,eu", "eu,csv", 1),
		"a source":        head + strings.Replace(line, "engine", "hook", 1),
		"a level":         head + strings.Replace(line, "followed", "seen", 1),
		"no trials":       head + strings.Replace(line, "\t2\t1", "\t0\t0", 1),
		"too many":        head + strings.Replace(line, "\t2\t1", "\t1\t1", 1),
		"less than none":  head + strings.Replace(line, "\t30\t", "\t-30\t", 1),
		"another number":  head + strings.Replace(line, "\t30\t", "\t030\t", 1),
		"a huge number":   head + strings.Replace(line, "\t30\t", "\t999999999999999999\t", 1),
		"beyond a number": head + strings.Replace(line, "\t30\t", "\t99999999999999999999\t", 1),
		"fields":          head + strings.Replace(line, "\n", "\t1\n", 1),
	} {
		if c, err := ParseCounts([]byte(text)); !errors.Is(err, ErrCounts) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func FuzzParseCounts(f *testing.F) {
	f.Add([]byte(countsHeader + "2026-11-21\ta\t1.0.0\tcsv,eu\tm\tk\tengine\tfollowed\t2\t1\t1\t0\t30\t9\t100\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ParseCounts(text)
		if err == nil && !bytes.Equal(c.Encode(), text) {
			t.Errorf("%q is read and written as %q", text, c.Encode())
		}
	})
}

// tried is a journal in which a version succeeded and failed so often.
func tried(w Writer, v capability.Version, source Source, successes, failures int) []Trial {
	var out []Trial
	last := ID{}
	for n := range successes + failures {
		last = Next(last, at(0), w)
		o := Observation{At: at(0), Source: source, Level: Followed, Capability: "a", Version: v, Model: "m", Tags: []string{"csv"}, Outcome: Success}
		if n >= successes {
			o.Outcome = Failure
		}
		out = append(out, Trial{FormatVersion, last, o})
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestInheritance: a version begins with half of what the one before it came to, of at most
// 20 trials, in each tag and model as well; a breaking one begins at zero.
func TestInheritance(t *testing.T) {
	var b Book
	b.Put(ana, "1", Sum(tried(ana, "1.0.0", Engine, 90, 10)))
	b.Put(ana, "2", Sum(tried(ana, "1.1.0", Engine, 3, 1)))
	trust := Trust{Own: ana}
	for _, tc := range []struct {
		version             capability.Version
		successes, failures float64
	}{
		{"1.0.0", 90, 10},
		{"1.1.0", 3 + 18, 1 + 2},
		{"1.2.0", 21.0 / 24 * 12, 3.0 / 24 * 12}, // half of 24 trials
		{"1.0.0-rc.1", 0, 0},
		{"2.0.0", 0, 0},
		{"", 0, 0},
	} {
		s := b.Of("a", tc.version, trust)
		if !near(s.Successes, tc.successes) || !near(s.Failures, tc.failures) || !near(s.Tags["csv"].Successes, tc.successes) || !near(s.Models["m"].Failures, tc.failures) {
			t.Errorf("%s: %+v, want %v, %v", tc.version, s, tc.successes, tc.failures)
		}
	}
	if s := b.Observed("a", "1.1.0", trust); s.Tally != (Tally{3, 1}) || s.Uses[Followed] != 4 || !s.Used.Equal(DayOf(at(0)).Time()) {
		t.Errorf("for decisions: %+v", s)
	}
	if r := (Tally{}).Rate(0.5); r != 0.5 {
		t.Error(r)
	}
}

// TestNoWriterAlone: a forger neither sinks nor lifts a capability, alone or under many names.
func TestNoWriterAlone(t *testing.T) {
	book := func(journals map[Writer][]Trial) *Book {
		var b Book
		for w, all := range journals {
			b.Put(w, "all", Sum(all))
		}
		return &b
	}
	both := Trust{Own: ana, Listed: []Writer{ben}}
	forged := map[Writer][]Trial{ana: tried(ana, "1.0.0", Engine, 40, 0), ben: tried(ben, "1.0.0", Engine, 40, 0)}
	for n := range 10 {
		w := WriterOf([]byte{byte(n)})
		forged[w] = tried(w, "1.0.0", Engine, 0, 1000)
	}
	for name, tc := range map[string]struct {
		journals            map[Writer][]Trial
		trust               Trust
		successes, failures float64
	}{
		"the only one who knows":    {map[Writer][]Trial{ana: tried(ana, "1.0.0", Engine, 100, 50)}, both, 100, 50},
		"two who know":              {map[Writer][]Trial{ana: tried(ana, "1.0.0", Engine, 1000, 0), ben: tried(ben, "1.0.0", Engine, 20, 20)}, both, 40, 0 + 20 + 20 - 20 + 0},
		"a stranger alone":          {map[Writer][]Trial{cat: tried(cat, "1.0.0", Engine, 0, 1000)}, both, 0, 2},
		"a stranger beside three":   {map[Writer][]Trial{cat: tried(cat, "1.0.0", Engine, 0, 1000), ana: tried(ana, "1.0.0", Engine, 3, 0)}, both, 3, 3},
		"strangers against two":     {forged, both, 80, 80},
		"strangers and nobody else": {map[Writer][]Trial{cat: tried(cat, "1.0.0", Engine, 30, 0), ben: tried(ben, "1.0.0", Engine, 0, 30)}, Trust{}, 1, 1},
	} {
		if name == "two who know" { // each counts for no more than the other
			tc.successes, tc.failures = 40+20, 20
		}
		s := book(tc.journals).Of("a", "1.0.0", tc.trust)
		if !near(s.Successes, tc.successes) || !near(s.Failures, tc.failures) || !near(s.Tags["csv"].Tried(), s.Tried()) {
			t.Errorf("%s: %+v, want %v and %v", name, s.Tally, tc.successes, tc.failures)
		}
	}
}

// TestDecisions: unknown writers and what agents say of themselves are not observed.
func TestDecisions(t *testing.T) {
	for _, tc := range []struct {
		w      Writer
		source Source
		want   Tally
	}{
		{ana, Engine, Tally{3, 2}}, {ben, Human, Tally{3, 2}}, {ana, Self, Tally{}}, {cat, Engine, Tally{}}, {cat, Self, Tally{}},
	} {
		var b Book
		b.Put(tc.w, "all", Sum(tried(tc.w, "1.0.0", tc.source, 3, 2)))
		if s := b.Observed("a", "1.0.0", Trust{Own: ana, Listed: []Writer{ben}}); s.Tally != tc.want {
			t.Errorf("%s by %s: %+v, want %+v", tc.source, tc.w, s.Tally, tc.want)
		}
	}
}

// TestVerdictSettles: a mission's verdict counts in place of the runs that ended well in it,
// and failures that the engine saw count all the same.
func TestVerdictSettles(t *testing.T) {
	runs := tried(ana, "1.0.0", Engine, 5, 1)
	verdict := Trial{FormatVersion, Next(runs[len(runs)-1].ID, at(0), ana), Observation{
		At: at(0), Source: Human, Mission: "m", Capability: "a", Version: "1.0.0", Model: "m", Tags: []string{"csv"}, Outcome: Failure, Settles: 5,
	}}
	for _, tc := range []struct {
		outcome Outcome
		want    Tally
	}{{Failure, Tally{0, 2}}, {Success, Tally{1, 1}}, {Partial, Tally{0.5, 1.5}}} {
		verdict.Outcome = tc.outcome
		var b Book
		b.Put(ana, "runs", Sum(runs))
		b.Put(ana, "verdict", Sum([]Trial{verdict}))
		if s := b.Of("a", "1.0.0", Trust{Own: ana}); s.Tally != tc.want || s.Uses[Followed] != 6 {
			t.Errorf("%s: %+v, want %+v", tc.outcome, s, tc.want)
		}
		b.Put(ana, "runs", nil) // a verdict on nothing takes nothing from others
		b.Put(ben, "runs", Sum(tried(ben, "1.0.0", Engine, 5, 0)))
		if s := b.Of("a", "1.0.0", Trust{Own: ana, Listed: []Writer{ben}}); s.Successes < 5 {
			t.Errorf("%s settles the runs of others: %+v", tc.outcome, s)
		}
	}
}

// TestStats checks uses that were listed or loaded in vain, and the cost of a success.
func TestStats(t *testing.T) {
	var all []Trial
	last := ID{}
	use := func(name string, level Level, o Outcome, tokens int64, day int, tags ...string) {
		last = Next(last, at(day), ana)
		all = append(all, Trial{FormatVersion, last, Observation{At: at(day), Source: Self, Level: level, Capability: name, Outcome: o, Tokens: tokens, Tags: tags, Agent: "kublai"}})
	}
	use("dead", Listed, Open, 10, 0)
	use("dead", Listed, Open, 10, 1)
	use("stuck", Loaded, Failure, 100, 1, "csv", "eu")
	use("used", Listed, Open, 10, 1)
	use("used", Followed, Success, 90, 2, "csv")
	use("used", Followed, Failure, 100, 3, "csv")
	var b Book
	b.Put(ana, "all", Sum(all))
	lines := b.Stats(Question{})
	if len(lines) != 3 || !lines[0].Dead() || lines[0].Stuck() || !lines[1].Stuck() || lines[1].Dead() || lines[2].Dead() || lines[2].Stuck() {
		t.Fatalf("%+v", lines)
	}
	if u := lines[2]; u.TokensPerSuccess != 200 || u.Last != DayOf(at(3)).String() || u.Success != 1 || u.Failure != 1 {
		t.Errorf("%+v", u)
	}
	if rate, ok := lines[2].Rate(); rate != 0.5 || !ok {
		t.Error(rate, ok)
	}
	if _, ok := lines[0].Rate(); ok {
		t.Error("what was never tried has a rate")
	}
	since := b.Stats(Question{Since: DayOf(at(3))})
	if len(since) != 1 || since[0].Capability != "used" || since[0].Failure != 1 || since[0].Success != 0 {
		t.Errorf("%+v", since)
	}
	byTag := b.Stats(Question{By: []Dimension{ByTag, ByAgent}, Name: "stuck"})
	if len(byTag) != 2 || byTag[0].Tag != "csv" || byTag[1].Tag != "eu" || byTag[1].Agent != "kublai" || byTag[1].Failure != 1 {
		t.Errorf("%+v", byTag)
	}
	if got, err := ParseDimensions("tag, model,tag"); err != nil || !slices.Equal(got, []Dimension{ByTag, ByModel}) {
		t.Error(got, err)
	}
	if _, err := ParseDimensions("colour"); err == nil {
		t.Error("any word is a dimension")
	}
}

// TestWithoutAgent: sums stay when a name goes.
func TestWithoutAgent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Sum(drawn(t, ana, 30))
		without := c.WithoutAgent("kublai")
		for k := range without {
			if k.Agent == "kublai" {
				t.Fatal("the name is there")
			}
		}
		if !reflect.DeepEqual(without.WithoutAgent(""), c.WithoutAgent("")) || without.Trials() != c.Trials() {
			t.Fatal("other sums")
		}
	})
}
