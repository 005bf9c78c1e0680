package strictyaml

import (
	"slices"
	"testing"
)

// TestSimilar checks the order of similar names, their number, and names that contain the word.
func TestSimilar(t *testing.T) {
	known := []string{"parse-csv", "parse-csvs", "csv-to-json", "sum-up", "pares-csv", "write-csv-files"}
	for name, want := range map[string][]string{
		"parse_csv": {"parse-csv", "parse-csvs", "pares-csv"},
		"csv":       {"parse-csv", "parse-csvs", "csv-to-json"},
		"smu-up":    {"sum-up"},
		"su":        nil,
		"knot":      nil,
	} {
		if got := Similar(name, known); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
