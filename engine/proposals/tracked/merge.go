package tracked

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/propose"
)

// Sides of a conflict.
const (
	Ours   = string(tree.Ours)
	Theirs = string(tree.Theirs)
)

// merged is the result of a three-way comparison, with paths in the capability's folder.
type merged struct {
	// edits turn what is in force into the result.
	edits []tree.Edit
	// conflicts are the files that both sides changed, in the same lines or at all. If a side was
	// chosen, edits hold its lines where both changed them, and the whole file where there are no lines to merge.
	conflicts []string
	// edited are the files in force that differ from what was taken.
	edited []string
	// finding is what the proposal of it is about.
	finding propose.Finding
	// changes are the source's.
	changes []tree.Change
}

// threeWay merges what changed upstream into what is in force. take is "", Ours or Theirs.
func threeWay(base, ours, theirs []tree.Edit, take string) (merged, error) {
	b, o, t := tree.NewMap(base...), tree.NewMap(ours...), tree.NewMap(theirs...)
	var m merged
	edits, conflicts, err := tree.Merge(b, o, t, func(c tree.Conflict, base, ours, theirs []byte) ([]byte, bool) {
		if merged, ok := tree.MergeLines(base, ours, theirs, ""); ok {
			return merged, true
		}
		merged, ok := tree.MergeLines(base, ours, theirs, tree.Side(take))
		if ok {
			m.conflicts = append(m.conflicts, c.Path)
		}
		return merged, ok
	})
	if err != nil {
		return m, err
	}
	content := func(path string) tree.Edit {
		i := slices.IndexFunc(theirs, func(e tree.Edit) bool { return e.Path == path })
		if i < 0 {
			return tree.Edit{Path: path, Remove: true}
		}
		return theirs[i]
	}
	for _, e := range edits {
		if !e.Remove && e.Content == nil { // the merge names the blob, which only the drawn repository has
			e = content(e.Path)
		}
		m.edits = append(m.edits, e)
	}
	for _, c := range conflicts {
		m.conflicts = append(m.conflicts, c.Path)
		if take == Theirs {
			m.edits = append(m.edits, content(c.Path))
		}
	}
	slices.Sort(m.conflicts)
	local, err := tree.Diff(b, o)
	if err != nil {
		return m, err
	}
	for _, c := range local {
		m.edited = append(m.edited, c.Path)
	}
	m.changes, err = tree.Diff(b, t)
	return m, err
}
