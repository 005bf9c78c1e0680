package resolution

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type by = map[string]Tally

// TestRank: the registry's own example. The general parser has 80 %, the one for quoted fields
// 95 %, and the European one 98 % in a European context and little elsewhere.
func TestRank(t *testing.T) {
	general := Way{"parse-csv-general", Tally{100, 80}, by{"eu": {20, 10}, "quoted-fields": {10, 0}}}
	quoted := Way{"parse-csv-quoted", Tally{100, 95}, by{"quoted-fields": {50, 49}, "eu": {4, 1}}}
	eu := Way{"parse-csv-eu", Tally{140, 100}, by{"eu": {100, 98}, "us": {40, 2}}}
	fresh := Way{Name: "parse-csv-new"}
	for _, tc := range []struct {
		name string
		tags []string
		want string
	}{
		{"the default is the highest success", nil, "quoted general eu new"},
		{"in a European context", []string{"eu"}, "eu general quoted new"},
		{"in quoted fields", []string{"quoted-fields"}, "quoted eu general new"},
		{"in both, the one that knows both", []string{"eu", "quoted-fields"}, "quoted eu general new"},
		{"where one mostly fails, another one that nobody knows there", []string{"us"}, "quoted general eu new"},
		{"in a context of which nothing is known", []string{"klingon"}, "quoted general eu new"},
	} {
		var got []string
		ranked := Rank([]Way{fresh, eu, general, quoted}, tc.tags)
		for _, s := range ranked {
			got = append(got, strings.TrimPrefix(s.Name, "parse-csv-"))
		}
		if text := strings.Join(got, " "); text != tc.want {
			t.Errorf("%s: %s, want %s\n%+v", tc.name, text, tc.want, ranked)
		}
	}
}

// TestOf: each part of the formula by itself.
func TestOf(t *testing.T) {
	for _, tc := range []struct {
		name                              string
		way                               Way
		tags                              []string
		score, success, affinity, penalty float64
		poor, unknown                     string
	}{
		{"never tried: the prior", Way{}, nil, 0.5, 0.5, 0, 0, "", ""},
		{"one success is no certainty", Way{All: Tally{1, 1}}, nil, 0.666667, 2.0 / 3, 0, 0, "", ""},
		{"unknown tags give nothing and cost nothing", Way{All: Tally{98, 98}}, []string{"a", "b"}, 0.99, 0.99, 0, 0, "", "a b"},
		{"the mean is over all tags", Way{All: Tally{98, 98}, Contexts: by{"a": {2, 1}}}, []string{"b", "a"}, 1.24, 0.99, 0.25, 0, "", "b"},
		{"below 0.3 costs", Way{All: Tally{98, 98}, Contexts: by{"a": {100, 29}, "b": {1, 0}}}, []string{"a", "b"}, 0.735, 0.99, 0.145, 0.4, "a b", ""},
		{"0.3 costs nothing", Way{All: Tally{98, 98}, Contexts: by{"a": {10, 3}}}, []string{"a"}, 1.29, 0.99, 0.3, 0, "", ""},
		{"contexts that nobody asked for do not count", Way{All: Tally{98, 98}, Contexts: by{"a": {10, 0}}}, []string{"b"}, 0.99, 0.99, 0, 0, "", "b"},
	} {
		got := Of(tc.way, tc.tags)
		near := func(a, b float64) bool { return rounded(a) == rounded(b) }
		if got.Score != tc.score || !near(got.Success, tc.success) || !near(got.Affinity, tc.affinity) || !near(got.Penalty, tc.penalty) ||
			strings.Join(got.Poor, " ") != tc.poor || strings.Join(got.Unknown, " ") != tc.unknown {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

// TestTies: with one score more tries win, then the name; the order in which the ways and tags come decides nothing.
func TestTies(t *testing.T) {
	ways := []Way{{Name: "c", All: Tally{2, 1}}, {Name: "b"}, {Name: "a"}, {Name: "d", All: Tally{4, 2}}}
	tags := []string{"x", "y", "z"}
	for range 20 {
		rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		rand.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
		var got []string
		for _, s := range Rank(ways, tags) {
			got = append(got, s.Name)
		}
		if want := []string{"d", "c", "a", "b"}; !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
