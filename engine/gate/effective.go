package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// Footprint lists the effect of a change: one line for each path, sorted, with mode and
// blob before and after. Regions that the engine owns (the learned entries of a
// SOUL.md, the files list of a proposal) are left out of the blobs.
type Footprint []string

// FootprintOf compares two views, below dirs or everywhere.
func FootprintOf(base, head tree.View, dirs ...string) (Footprint, error) {
	changes, err := tree.Diff(base, head, dirs...)
	if err != nil {
		return nil, fmt.Errorf("effective tree: %w", err)
	}
	before, after := side{base, learn.NewOwner(base)}, side{head, learn.NewOwner(head)}
	var lines Footprint
	for _, c := range changes {
		old, err := before.ownBlob(c.Old)
		if err != nil {
			return nil, fmt.Errorf("effective tree, %s: %w", c.Path, err)
		}
		now, err := after.ownBlob(c.New)
		if err != nil {
			return nil, fmt.Errorf("effective tree, %s: %w", c.Path, err)
		}
		if old != now || c.Old.Mode != c.New.Mode {
			lines = append(lines, fmt.Sprintf("%q %s %s %s %s\n", c.Path, c.Old.Mode, old, c.New.Mode, now))
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// Digest identifies the effective tree. A review is valid as long as the digest is equal, so
// a rebase without other changes does not invalidate it.
func (f Footprint) Digest() string {
	return canonical.Digest([]byte(strings.Join(f, "")))
}

// Covers reports whether f contains every line of part.
func (f Footprint) Covers(part Footprint) bool {
	for _, line := range part {
		if _, ok := slices.BinarySearch(f, line); !ok {
			return false
		}
	}
	return true
}

// side is one of the two trees that are compared.
type side struct {
	tree.View
	owner *learn.Owner
}

// ownBlob is the name of a file's content without engine-owned regions.
func (s side) ownBlob(e tree.Entry) (tree.Hash, error) {
	strip := s.stripper(e.Path)
	if e.Path == "" || !e.Mode.IsFile() || strip == nil && !e.Hash.IsZero() {
		return e.Hash, nil
	}
	data, err := s.Read(e.Path)
	if err != nil {
		return tree.Hash{}, err
	}
	if strip != nil {
		data = strip(data)
	}
	return tree.BlobHash(data), s.owner.Err()
}

func (s side) stripper(path string) func([]byte) []byte {
	switch names.Area(path) {
	case names.SoulArea:
		if strings.HasSuffix(path, "/SOUL.md") {
			return s.owner.Without
		}
	case names.ProposalsArea:
		if strings.HasSuffix(path, ".md") {
			return proposal.WithoutFiles
		}
	}
	return nil
}
