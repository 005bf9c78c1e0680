package tree

import (
	"bytes"
	"slices"

	"github.com/aymanbagabas/go-udiff"
)

// MergeLines merges two changes of a text line by line. ok is false if both changed the same or
// neighbouring lines differently, or if a side is not text.
func MergeLines(base, ours, theirs []byte) (merged []byte, ok bool) {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours, true
	case bytes.Equal(base, ours):
		return theirs, true
	case slices.ContainsFunc([][]byte{base, ours, theirs}, func(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }):
		return nil, false
	}
	src := string(base)
	a, b := udiff.Lines(src, string(ours)), udiff.Lines(src, string(theirs))
	udiff.SortEdits(a)
	udiff.SortEdits(b)
	var both []udiff.Edit
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x == y:
			both, a, b = append(both, x), a[1:], b[1:]
		case x.End < y.Start:
			both, a = append(both, x), a[1:]
		case y.End < x.Start:
			both, b = append(both, y), b[1:]
		default:
			return nil, false
		}
	}
	out, err := udiff.Apply(src, append(append(both, a...), b...))
	return []byte(out), err == nil
}
