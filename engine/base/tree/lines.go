package tree

import (
	"bytes"
	"slices"

	"github.com/aymanbagabas/go-udiff"
)

// Side is a side of a merge.
type Side string

// The sides. The empty one leaves conflicts as they are.
const (
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// MergeLines merges two changes of a text line by line. Where both changed the same or neighbouring lines
// differently, take chooses the lines of a side, as git merge -X does. ok is false if no side is chosen then, or if
// a side is not text.
func MergeLines(base, ours, theirs []byte, take Side) (merged []byte, ok bool) {
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
		case take == "":
			return nil, false
		default:
			here, there := conflicting(&a, &b)
			if take == Theirs {
				here = there
			}
			both = append(both, here...)
		}
	}
	out, err := udiff.Apply(src, append(append(both, a...), b...))
	return []byte(out), err == nil
}

// conflicting removes the first edits of both sides that touch each other, directly or through others.
func conflicting(a, b *[]udiff.Edit) (here, there []udiff.Edit) {
	end := max((*a)[0].End, (*b)[0].End)
	for grown := true; grown; {
		grown = false
		for _, side := range []struct{ from, to *[]udiff.Edit }{{a, &here}, {b, &there}} {
			for len(*side.from) > 0 && (*side.from)[0].Start <= end {
				end, grown = max(end, (*side.from)[0].End), true
				*side.to, *side.from = append(*side.to, (*side.from)[0]), (*side.from)[1:]
			}
		}
	}
	return here, there
}
