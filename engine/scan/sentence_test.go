package scan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBetween: the search by places of stops gives the same span as a search for one
// stop after the other.
func TestBetween(t *testing.T) {
	piece := rapid.SampledFrom([]string{". ", "\n", "\r", "-", " ", "a", "#", "`", "! ", "?", ".", "|", "* ", "+ ", "word ", strings.Repeat("x", 100)})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		offset := rapid.IntRange(0, len(text)).Draw(t, "offset")
		window := span{max(0, offset-before), min(len(text), offset+after)}
		want := window
		for _, stop := range stops {
			if i := strings.LastIndex(text[want.start:offset], stop); i >= 0 {
				want.start += i + len(stop)
			}
			if i := strings.Index(text[offset:want.end], stop); i >= 0 {
				want.end = offset + i
			}
		}
		if got := newDocument("a.md", text, nil).between(window, offset); got != want {
			t.Fatalf("%q around %d: %v, want %v", text, offset, got, want)
		}
	})
}
