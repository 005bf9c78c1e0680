package duplicate

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// FirstDifference returns the first difference of two texts on one line: "- old + new".
// It is empty if they differ only in spaces.
func FirstDifference(old, now string) string {
	var gone, come string
	for line := range strings.Lines(udiff.Unified("a", "b", old, now)) {
		text := strings.TrimSpace(line[1:])
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), text == "":
		case line[0] == '-' && gone == "" && come == "":
			gone = "- " + text
		case line[0] == '+' && come == "":
			come = "+ " + text
		case line[0] != '-' && line[0] != '+' && gone+come != "":
			return join(gone, come)
		}
	}
	return join(gone, come)
}

func join(gone, come string) string { return strings.TrimSpace(gone + " " + come) }
