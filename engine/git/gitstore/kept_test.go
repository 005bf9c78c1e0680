package gitstore_test

import (
	"testing"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

func TestLacks(t *testing.T) {
	for name, c := range map[string]struct {
		was, now, have string
		want           bool
	}{
		"nothing changed":             {"a\nb\n", "a\nb\n", "a\n", false},
		"the same":                    {"a\n", "a\nb\n", "a\nb\n", false},
		"their line is missing":       {"a\n", "a\nb\n", "a\nc\n", true},
		"their line beside mine":      {"a\n", "a\nb\n", "a\nc\nb\n", false},
		"what they took out is back":  {"a\nb\n", "a\n", "a\nb\nc\n", true},
		"taken out here, too":         {"a\nb\n", "a\n", "a\nc\n", false},
		"one of two equal lines":      {"a\nb\n", "a\nb\nb\n", "a\nb\nc\n", true},
		"they moved a line":           {"a\nb\nc\n", "b\na\nc\n", "a\nb\nc\nd\n", true},
		"moved here, too":             {"a\nb\nc\n", "b\na\nc\n", "b\na\nc\nd\n", false},
		"they indented it":            {"a\nb\n", "a\n  b\n", "a\nb\nc\n", true},
		"both changed one line":       {"a\n", "ab\n", "ac\n", true},
		"line endings of the machine": {"a\n", "a\nb\n", "a\r\nc\r\nb\r\n", false},
		"gone here":                   {"a\n", "a\nb\n", "", true},
		"gone there":                  {"a\n", "", "a\nb\n", true},
		"made on both sides":          {"", "a\n", "b\n", true},
	} {
		if got := gitstore.Lacks(content(c.was), content(c.now), content(c.have)); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// content is a file's, or no file.
func content(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}
