package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

// TestFuse: places by words and by meaning count alike; what is named and what has no vector stays.
func TestFuse(t *testing.T) {
	entry := func(name string) index.Entry {
		return index.Entry{Folder: capability.Folder{Name: name, Path: "skills/" + name}}
	}
	found := func(text string) (out []index.Match) {
		for i, name := range strings.Fields(text) {
			name, named := strings.CutPrefix(name, "!")
			m := index.Match{Entry: entry(name), Share: 0.9 - float64(i)/10}
			if named {
				m.Exact = index.ByName
			}
			out = append(out, m)
		}
		return out
	}
	alike := func(text string) (out []index.Alike) {
		for i, name := range strings.Fields(text) {
			out = append(out, index.Alike{Entry: entry(name), Cosine: 0.9 - float64(i)/1000})
		}
		return out
	}
	rest := strings.Repeat(" far", 1)
	for _, tc := range []struct {
		words, meaning string
		far            int
		limit          int
		want           string
	}{
		{"a b c", "a b c", 0, 9, "a b c"},
		{"a b c", "c b a", 0, 9, "a c b"}, // a and c have the same sum, and a has more words
		{"a b c d", "d b a c", 0, 9, "a b d c"},
		{"!a b c", "c b a", 0, 9, "a c b"}, // a is named
		{"a b c", "c a", 0, 9, "a b c"},    // b has no vector
		{"x a b c y", "c b a", 0, 9, "x c a b y"},
		{"a", "z a", 40, 9, "a z"}, // z stands out
		{"", "z", 40, 9, "z"},
		{"a b", "z y", 0, 9, "a b"}, // nothing stands out among two
		{"a b c", "c b a", 0, 1, "a"},
		{"a b c", "c b a", 0, -1, ""},
	} {
		near := alike(tc.meaning)
		for i := range tc.far {
			near = append(near, index.Alike{Entry: entry(fmt.Sprint("far", i, rest)), Cosine: 0.1})
		}
		var got []string
		last := 1.0
		for _, m := range index.Fuse(found(tc.words), near, tc.limit) {
			got = append(got, m.Name)
			if last < m.Fit() && m.Exact == index.Fits {
				t.Errorf("%+v: %s fits better than the one before", tc, m.Name)
			}
			last = m.Fit()
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%q and %q: %q, want %q", tc.words, tc.meaning, got, tc.want)
		}
	}
}
