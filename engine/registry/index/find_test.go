package index_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

// registryOf has a skill for each name, with a description and a record.
func registryOf(t fataler, told map[string][2]string) *index.Index {
	t.Helper()
	var edits []tree.Edit
	for name, texts := range told {
		edits = append(edits, tree.Edit{Path: "skills/" + name + "/SKILL.md", Content: fmt.Appendf(nil, "---\nname: %s\ndescription: %s\n---\n", name, texts[0])})
		if texts[1] != "" {
			edits = append(edits, tree.Edit{Path: "skills/" + name + "/capability.yaml", Content: []byte("kind: skill\nversion: 1.0.0\n" + texts[1] + "\n")})
		}
	}
	return stack(t, open(t, build(t, tree.NewMap(edits...), 1)))
}

func foundNames(t fataler, x *index.Index, q index.Query) (out []string) {
	t.Helper()
	found, err := x.Find(q)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found {
		out = append(out, m.Name)
	}
	return out
}

// TestFindAsPeopleAsk: words are found in other forms, misspelt, inside of others, and by words
// that people use in their place.
func TestFindAsPeopleAsk(t *testing.T) {
	x := registryOf(t, map[string][2]string{
		"invoice-reader":  {"Extracts totals from scanned invoices.", ""},
		"weathertool":     {"Says what to wear.", ""},
		"film-night":      {"Picks a film for the evening.", ""},
		"parse-csv":       {"Reads comma separated values with parseCSVFile.", ""},
		"the-who":         {"Lists concerts.", ""},
		"knots":           {"Ties ropes.", "tags: [sailing, rope-work]"},
		"sailing-weather": {"Warns sailors who sail: sailing is dangerous. Sailing needs sailing weather.", ""},
		"tafel":           {"Liest 表格 und Maße, Größen und Übersichten.", ""},
		"chart-tool":      {"Рисует диаграммы.", ""},
	})
	for _, tc := range []struct{ words, first string }{
		{"extraction of a total", "invoice-reader"},
		{"invocies", "invoice-reader"},
		{"invoise", "invoice-reader"},
		{"weather to wear", "weathertool"},
		{"movie", "film-night"},
		{"parse csv file", "parse-csv"},
		{"parseCsvFile", "parse-csv"},
		{"The Who", "the-who"},
		{"the_who", "the-who"},
		{"sailing", "knots"},
		{"rope work", "knots"},
		{"格", "tafel"},
		{"übersichten", "tafel"},
		{"диаграммы", "chart-tool"},
		{"диаграмы", "chart-tool"},
	} {
		if got := foundNames(t, x, index.Query{Words: tc.words, Limit: 3}); len(got) == 0 || got[0] != tc.first {
			t.Errorf("%q finds %v, want %s first", tc.words, got, tc.first)
		}
	}
	for _, words := range []string{"", "the of and", "xyzzyq", "\x00\x1b[2J\xff\xfe", strings.Repeat("zq", 100_000)} {
		if got := foundNames(t, x, index.Query{Words: words, Limit: 3}); len(got) > 0 {
			t.Errorf("%.20q finds %v", words, got)
		}
	}
	if got := foundNames(t, x, index.Query{Words: strings.Repeat("tie the rope of a film ", 50_000), Limit: 1}); len(got) != 1 {
		t.Errorf("a long text finds %v", got)
	}
}

// TestExact: what a query names comes first, and says so.
func TestExact(t *testing.T) {
	x := registryOf(t, map[string][2]string{
		"csv": {"Reads.", ""}, "csv-csv": {"csv csv csv", ""}, "csv-lint": {"Lints.", "tags: [csv]"},
	})
	found, err := x.Find(index.Query{Words: "CSV", Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]index.Exact{}
	for _, m := range found {
		got[m.Name] = m.Exact
	}
	if d := cmp.Diff(map[string]index.Exact{"csv": index.ByName, "csv-lint": index.ByTags, "csv-csv": index.Fits}, got); d != "" || found[0].Name != "csv" || found[1].Name != "csv-lint" {
		t.Error(found, d)
	}
	if found, err = x.Find(index.Query{Words: "csv qqqzzz", Limit: math.MaxInt}); err != nil || len(found) != 3 {
		t.Fatal(found, err)
	}
	for _, m := range found {
		if m.Exact != index.Fits {
			t.Errorf("%s has not all the words, and is said to: %v", m.Name, m.Exact)
		}
	}
}

// TestAdmit checks that an admitted entry is found among any number of better ones that are not.
func TestAdmit(t *testing.T) {
	told := map[string][2]string{"last": {"Long text in which a word such as knot stands once among many others that say nothing of it.", "status: testing"}}
	for i := range 300 {
		told[fmt.Sprintf("knot-%d", i)] = [2]string{"knot knot", ""}
	}
	x := registryOf(t, told)
	for _, q := range []index.Query{
		{Admit: func(e index.Entry) bool { return e.Name == "last" }},
		{Status: capability.Testing},
	} {
		q.Words, q.Limit = "knot", 2
		if got := foundNames(t, x, q); !slices.Equal(got, []string{"last"}) {
			t.Errorf("%v finds %v", q, got)
		}
	}
}

// TestLimit: the first answers are the same, however many are asked for.
func TestLimit(t *testing.T) {
	x := stack(t, open(t, build(t, tree.NewMap(generated(120)...), 2)))
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"parse", "invoices", "encrypt", "daily", "schedul", "reprot", "file", "csv"}), 1, 4).Draw(t, "words"), " ")
		all := foundNames(t, x, index.Query{Words: words, Limit: 200})
		n := rapid.IntRange(0, 30).Draw(t, "limit")
		some := foundNames(t, x, index.Query{Words: words, Limit: n})
		if !slices.Equal(some, all[:min(n, len(all))]) {
			t.Fatalf("%q: the first %d are %v, of all %v", words, n, some, all)
		}
	})
}
