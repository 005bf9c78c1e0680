package index_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/registry/index"
)

// taught searches with lessons, and returns the names of the answers.
func taught(t fataler, x *index.Index, l *index.Learned, q index.Query) (out []string, found []index.Match) {
	t.Helper()
	found, err := l.Search(q, x.Find, func(name string) ([]index.Entry, error) {
		for e, err := range x.Entries() {
			if err != nil || e.Name == name {
				return []index.Entry{e}, err
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found {
		out = append(out, m.Name)
	}
	return out, found
}

// TestLearned: what is like a past mission finds what served it, also without a common word; what the
// words name stays first, two of the first five places stay with those without lessons, and filters hold.
func TestLearned(t *testing.T) {
	x := registryOf(t, map[string][2]string{
		"quarter-close": {"Reconciles ledgers.", ""}, "retired-one": {"Other words.", "status: retired"}, "mail": {"Sends letters.", ""},
		"a-table": {"Cleans a table.", ""}, "b-table": {"Cleans a table.", ""}, "c-table": {"Cleans a table.", ""}, "d-table": {"Cleans a table.", ""}, "e-table": {"Cleans a table. A long text about much else.", ""},
		"f-table": {"Cleans a table, and a text about much else that makes it longer still.", ""},
	})
	l := index.Learn([]index.Lesson{
		{Name: "quarter-close", Text: "finish the books for the tax office", Weight: 1}, {Name: "retired-one", Text: "finish the books for the tax office", Weight: 0.5},
		{Name: "d-table", Text: "clean the table of customers", Weight: 1}, {Name: "c-table", Text: "clean the table of customers", Weight: 0.9},
		{Name: "b-table", Text: "clean the table of customers", Weight: 0.8}, {Name: "a-table", Text: "clean the table of customers", Weight: 0.7},
		{Name: "gone", Text: "finish the books", Weight: 1}, {Name: "mail", Text: "the of and", Weight: 1},
	})
	names, found := taught(t, x, l, index.Query{Words: "finish our books for taxes", Limit: 5})
	if d := cmp.Diff([]string{"quarter-close", "retired-one"}, names); d != "" || found[0].Learned <= 2*found[1].Learned || found[0].Score != 0 {
		t.Errorf("%s\n%+v", d, found)
	}
	for _, tc := range []struct {
		q    index.Query
		want string
	}{
		{index.Query{Words: "clean the table of customers", Limit: 6}, "d-table c-table e-table b-table f-table a-table"},
		{index.Query{Words: "clean the table of customers", Limit: 2}, "d-table c-table"},
		{index.Query{Words: "a-table", Limit: 1}, "a-table"},
		{index.Query{Words: "finish our books for taxes", Limit: 5, Status: "retired"}, "retired-one"},
		{index.Query{Words: "finish our books for taxes", Limit: 5, Admit: func(e index.Entry) bool { return e.Name == "mail" }}, ""},
		{index.Query{Words: "finish our books for taxes", Limit: 0}, ""},
	} {
		names, _ := taught(t, x, l, tc.q)
		if got := strings.Join(names, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.q.Words, got, tc.want)
		}
	}
	for _, none := range []*index.Learned{nil, index.Learn(nil)} {
		q := index.Query{Words: "clean the table", Limit: 4}
		if got, _ := taught(t, x, none, q); !cmp.Equal(got, foundNames(t, x, q)) {
			t.Errorf("without lessons: %v", got)
		}
	}
}

// TestFactor: what critics said moves an answer, with lessons and without; what the words name stays first.
func TestFactor(t *testing.T) {
	x := registryOf(t, map[string][2]string{"a-table": {"Cleans a table.", ""}, "b-table": {"Cleans a table.", ""}, "c-table": {"Cleans a table.", ""}})
	factor := func(e index.Entry) float64 {
		return map[string]float64{"a-table": 0.9, "b-table": 1, "c-table": 1.1}[e.Name]
	}
	for words, want := range map[string]string{"clean the table": "c-table b-table a-table", "a-table": "a-table c-table b-table"} {
		for _, lessons := range [][]index.Lesson{nil, {{Name: "gone", Text: "sail the boat", Weight: 1}}} {
			l := index.Learn(lessons)
			if got, _ := taught(t, x, l, index.Query{Words: words, Limit: 3}); got[0] != "a-table" {
				t.Errorf("%s without critics: %v", words, got)
			}
			l.Factor = factor
			if got, _ := taught(t, x, l, index.Query{Words: words, Limit: 3}); strings.Join(got, " ") != want {
				t.Errorf("%s: %v, want %s", words, got, want)
			}
		}
	}
}

// TestLikeness: any lessons give any words a likeness from 0 to 1, the same in each run, and a text is
// most like itself.
func TestLikeness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-d]{1,3} ){0,6}`)
		var lessons []index.Lesson
		for range rapid.IntRange(0, 30).Draw(t, "lessons") {
			lessons = append(lessons, index.Lesson{Name: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "name"), Text: text.Draw(t, "text"), Weight: rapid.Float64Range(0, 1).Draw(t, "weight")})
		}
		words := text.Draw(t, "words")
		got := index.Learn(lessons).Like(words)
		for name, like := range got {
			if !(like >= 0 && like <= 1) {
				t.Fatalf("%s: %v", name, like)
			}
		}
		if again := index.Learn(lessons).Like(words); !cmp.Equal(got, again) {
			t.Fatalf("%v, then %v", got, again)
		}
		if own := index.Learn([]index.Lesson{{Name: "x", Text: words, Weight: 1}}).Like(words); len(index.Terms(words)) > 0 && own["x"] < 0.999 {
			t.Fatalf("%q is like itself by %v", words, own)
		}
	})
}
