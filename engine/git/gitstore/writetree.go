package gitstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
)

// WriteTree applies edits to the tree base (zero for an empty one) and returns the new tree.
// Subtrees without edits are shared, not read. It returns ErrBadEdit for an edit below a file
// or over a directory, two edits of one path, a name that Git cannot store, or removal of a
// missing file.
func (db *Objects) WriteTree(base tree.Hash, edits []tree.Edit) (tree.Hash, error) {
	sorted := slices.Clone(edits)
	order.Sort(sorted, func(a, b tree.Edit) int { return strings.Compare(a.Path, b.Path) })
	for i, e := range sorted {
		if err := checkEdit(e); err != nil {
			return tree.Hash{}, err
		}
		if i > 0 && sorted[i-1].Path == e.Path {
			return tree.Hash{}, fmt.Errorf("%q is edited twice: %w", e.Path, ErrBadEdit)
		}
	}
	if base.IsZero() {
		base = emptyTree()
	}
	root, left, err := db.splice(base, "", sorted)
	if err != nil || left {
		return root, err
	}
	return db.put(kindTree, nil)
}

func checkEdit(e tree.Edit) error {
	for part := range strings.SplitSeq(e.Path, "/") {
		if part == "" || part == "." || part == ".." || strings.EqualFold(part, ".git") || strings.IndexByte(part, 0) >= 0 {
			return fmt.Errorf("path %q cannot be stored in a tree: %w", e.Path, ErrBadEdit)
		}
	}
	switch e.Mode {
	case 0, tree.Regular, tree.Executable, tree.Symlink:
		return nil
	case tree.Submodule:
		if !e.Hash.IsZero() {
			return nil
		}
	}
	return fmt.Errorf("%q: mode %s is not a file's: %w", e.Path, e.Mode, ErrBadEdit)
}

// splice applies sorted edits below dir to the tree h. left is false if nothing remains.
// Removals come first, so that a directory can replace a file of the same name and vice versa.
func (db *Objects) splice(h tree.Hash, dir string, edits []tree.Edit) (out tree.Hash, left bool, err error) {
	entries, err := db.tree(h)
	if err != nil {
		return h, false, fmt.Errorf("editing %q: %w", dir, err)
	}
	groups := groupByName(edits, dir)
	changed := make([]treeEntry, 0, len(groups))
	gone := make(map[string]bool, len(groups))
	for _, g := range groups {
		e, keep, err := db.editName(entries, dir, g)
		if err != nil {
			return h, false, err
		}
		gone[g.name] = true
		if keep {
			changed = append(changed, e)
		}
	}
	merged := mergeEntries(entries, changed, gone)
	if len(merged) == 0 {
		return h, false, nil
	}
	out, err = db.put(kindTree, encodeTree(merged))
	return out, true, err
}

// nameEdits has the edits of one name in a directory: of the file itself, and of paths below
// it.
type nameEdits struct {
	name  string
	self  *tree.Edit
	below []tree.Edit
}

func groupByName(edits []tree.Edit, dir string) []nameEdits {
	skip := 0
	if dir != "" {
		skip = len(dir) + 1
	}
	var groups []nameEdits
	at := map[string]int{}
	for i := range edits {
		name, _, deeper := strings.Cut(edits[i].Path[skip:], "/")
		n, ok := at[name]
		if !ok {
			n = len(groups)
			at[name] = n
			groups = append(groups, nameEdits{name: name})
		}
		if deeper {
			groups[n].below = append(groups[n].below, edits[i])
		} else {
			groups[n].self = &edits[i]
		}
	}
	return groups
}

// editName returns the entry of one name after its edits; keep is false if none remains.
func (db *Objects) editName(entries []treeEntry, dir string, g nameEdits) (e treeEntry, keep bool, err error) {
	path := tree.Join(dir, g.name)
	old, exists := named(entries, g.name)
	if g.self != nil && g.self.Remove {
		if !exists || old.mode == tree.Dir {
			return e, false, fmt.Errorf("cannot remove %q: there is no such file: %w", path, ErrBadEdit)
		}
		old, exists = treeEntry{}, false
	}
	if len(g.below) > 0 {
		if exists && old.mode != tree.Dir {
			return e, false, fmt.Errorf("cannot write below %q: it is a file; remove it in the same change: %w", path, ErrBadEdit)
		}
		sub := emptyTree()
		if exists {
			sub = old.hash
		}
		h, left, err := db.splice(sub, path, g.below)
		if err != nil {
			return e, false, err
		}
		old, exists = treeEntry{name: g.name, mode: tree.Dir, hash: h}, left
	}
	if g.self == nil || g.self.Remove {
		return old, exists, nil
	}
	if exists && old.mode == tree.Dir {
		return e, false, fmt.Errorf("cannot write file %q: it is a directory; remove its files in the same change: %w", path, ErrBadEdit)
	}
	h := g.self.Hash
	if h.IsZero() {
		if h, err = db.WriteBlob(g.self.Content); err != nil {
			return e, false, err
		}
	}
	mode := g.self.Mode
	if mode == 0 {
		mode = tree.Regular
	}
	return treeEntry{name: g.name, mode: mode, hash: h}, true, nil
}

// mergeEntries replaces the names in gone by the entries in changed.
func mergeEntries(entries, changed []treeEntry, gone map[string]bool) []treeEntry {
	order.Sort(changed, compareEntries)
	out := make([]treeEntry, 0, len(entries)+len(changed))
	for _, e := range entries {
		if gone[e.name] {
			continue
		}
		for len(changed) > 0 && compareEntries(changed[0], e) < 0 {
			out, changed = append(out, changed[0]), changed[1:]
		}
		out = append(out, e)
	}
	return append(out, changed...)
}
