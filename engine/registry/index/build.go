package index

import (
	"bytes"
	"fmt"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Build reads all capabilities of v with at most the given number of workers and
// returns a base segment. skills names the tree object of v's skills folder, by
// which the segment is found again. The same tree gives the same bytes.
func Build(v tree.View, skills tree.Hash, workers int) ([]byte, error) {
	folders, _, err := capability.Folders(v)
	if err != nil {
		return nil, err
	}
	batches, err := readAll(v, folders, workers)
	if err != nil {
		return nil, err
	}
	return encode(Header{Tree: skills}, batches, nil)
}

// Refresh returns the segment that turns below, the index of base, into that of
// head. The cost follows the size of the difference. ok is false when so much
// changed that a new base is the better answer.
func Refresh(below *Index, base, head tree.View, skills tree.Hash, workers int) (segment []byte, ok bool, err error) {
	changes, err := tree.Diff(base, head, capability.Root)
	if err != nil {
		return nil, false, fmt.Errorf("compare capabilities with those indexed: %w", err)
	}
	if len(changes) > 1000+below.Len() {
		return nil, false, nil
	}
	scope, err := capability.ScopeOf(base, head, changes)
	if err != nil {
		return nil, false, err
	}
	before, _, err := scope.Folders(base)
	if err != nil {
		return nil, false, err
	}
	after, _, err := scope.Folders(head)
	if err != nil || len(before)+len(after) > mostly(below) {
		return nil, false, err
	}
	batches, err := readAll(head, after, workers)
	if err != nil {
		return nil, false, err
	}
	removed := make([]string, len(before))
	for i, f := range before {
		removed[i] = f.Path
	}
	segment, err = encode(Header{Tree: skills, Below: below.Tree()}, batches, removed)
	return segment, true, err
}

// With returns an index of the capabilities of x and of those in folders of v, whose names x does
// not have. It is for one question and is not kept.
func (x *Index) With(v tree.View, folders []capability.Folder) (*Index, error) {
	batches, err := readAll(v, folders, 1)
	if err != nil {
		return nil, err
	}
	data, err := encode(Header{Tree: x.Tree(), Below: x.Tree()}, batches, nil)
	if err != nil {
		return nil, err
	}
	top, err := OpenSegment(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return New(append(x.Segments(), top)...)
}

// mostly is how many capabilities may change before a new base is made.
func mostly(below *Index) int { return max(32, below.Len()/4) }

// Keep returns the number of segments of x, from the base, that the next one should be stacked
// on. Those on top that it outweighs are better merged into it. So each capability is read again
// once for each doubling of the changes after it, and there are never more segments than
// doublings.
func (x *Index) Keep() int {
	n, weight := len(x.parts), uint64(1)
	for ; n > 1; n-- {
		top := x.parts[n-1]
		size := uint64(top.Entries) + uint64(top.Gone)
		if size > 2*weight {
			break
		}
		weight += size
	}
	return n
}

// Segments are the segments of x, the base first.
func (x *Index) Segments() []*Segment {
	out := make([]*Segment, len(x.parts))
	for i, p := range x.parts {
		out[i] = p.Segment
	}
	return out
}
