package tree

import (
	"errors"
	"io/fs"
	"slices"
	"sort"
	"strings"
)

// Conflict is a path that both sides of a merge changed differently.
type Conflict struct {
	Path               string
	Base, Ours, Theirs Entry // zero where that side has no such file
}

// Resolver settles one conflict, or returns false to keep it. The content of a side without the
// file is nil.
type Resolver func(c Conflict, base, ours, theirs []byte) (merged []byte, ok bool)

// Merge is a three-way merge by path. It returns the edits that turn ours into the merge
// result, and the paths that both sides changed differently and that resolve (which may be nil)
// did not settle. A file on one side and a directory on the other conflict too. It reads only
// those parts of ours that theirs changed, however large ours is. The error is ErrTooLarge if theirs changed
// more than maxMerged files.
func Merge(base, ours, theirs View, resolve Resolver) ([]Edit, []Conflict, error) {
	changes, err := DiffFirst(nil, maxMerged+1, base, theirs)
	if err == nil && len(changes) > maxMerged {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, nil, err
	}
	m := merger{base: base, ours: ours, theirs: theirs, resolve: resolve}
	for _, c := range changes {
		if err := m.apply(c); err != nil {
			return nil, nil, err
		}
	}
	if err := m.dropShadowed(); err != nil {
		return nil, nil, err
	}
	return m.edits, m.conflicts, nil
}

// maxMerged is far above the files that the gate lets one proposal change. Of each, a merge keeps more than a comparison.
const maxMerged = 1 << 16

type merger struct {
	base, ours, theirs View
	resolve            Resolver
	edits              []Edit
	conflicts          []Conflict
}

func (m *merger) apply(theirs Change) error {
	ours, changed, err := m.ourChange(theirs)
	switch {
	case err != nil:
		return err
	case !changed:
		return m.take(theirs)
	case sameEntry(ours.New, theirs.New):
		return nil
	}
	c := Conflict{Path: theirs.Path, Base: theirs.Old, Ours: ours.New, Theirs: theirs.New}
	if m.resolve == nil || !c.Ours.Mode.IsFile() || !c.Theirs.Mode.IsFile() {
		m.conflicts = append(m.conflicts, c)
		return nil
	}
	return m.settle(c)
}

// ourChange returns how ours changed the file that theirs changed.
func (m *merger) ourChange(theirs Change) (c Change, changed bool, err error) {
	e, err := lookup(m.ours, theirs.Path)
	if err != nil {
		return c, false, err
	}
	var base *Entry
	if !theirs.Added() {
		base = &theirs.Old
	}
	if e != nil && e.Mode == Dir {
		e = nil
	}
	d := differ{a: m.base, b: m.ours, most: 1}
	if err := d.path(base, e); err != nil || len(d.out) == 0 {
		return c, false, err
	}
	return d.out[0], true, nil
}

func (m *merger) settle(c Conflict) error {
	var contents [3][]byte
	for i, side := range []struct {
		view  View
		entry Entry
	}{{m.base, c.Base}, {m.ours, c.Ours}, {m.theirs, c.Theirs}} {
		if side.entry.Path == "" {
			continue
		}
		data, err := side.view.Read(side.entry.Path)
		if err != nil {
			return err
		}
		contents[i] = data
	}
	merged, ok := m.resolve(c, contents[0], contents[1], contents[2])
	if !ok {
		m.conflicts = append(m.conflicts, c)
		return nil
	}
	m.edits = append(m.edits, Edit{Path: c.Path, Mode: c.Theirs.Mode, Content: merged})
	return nil
}

func (m *merger) take(c Change) error {
	if c.Removed() {
		m.edits = append(m.edits, Edit{Path: c.Path, Remove: true})
		return nil
	}
	e := Edit{Path: c.Path, Mode: c.New.Mode, Hash: c.New.Hash}
	if e.Hash.IsZero() {
		data, err := m.theirs.Read(c.Path)
		if err != nil {
			return err
		}
		e.Content = data
	}
	m.edits = append(m.edits, e)
	return nil
}

// dropShadowed turns additions of theirs into conflicts if they lie below a file of ours, or
// replace a directory of ours.
func (m *merger) dropShadowed() error {
	keep := m.edits[:0]
	for _, e := range m.edits {
		clash, err := m.clashes(e)
		if err != nil {
			return err
		}
		if clash {
			m.conflicts = append(m.conflicts, Conflict{Path: e.Path, Theirs: Entry{Path: e.Path, Mode: e.Mode, Hash: e.Hash}})
			continue
		}
		keep = append(keep, e)
	}
	m.edits = keep
	sort.Slice(m.conflicts, func(i, j int) bool { return m.conflicts[i].Path < m.conflicts[j].Path })
	return nil
}

func (m *merger) clashes(e Edit) (bool, error) {
	if e.Remove {
		return false, nil
	}
	removed := func(path string) bool {
		return slices.ContainsFunc(m.edits, func(o Edit) bool { return o.Remove && o.Path == path })
	}
	for dir := parentOf(e.Path); dir != ""; dir = parentOf(dir) {
		entry, err := m.ours.Lookup(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if entry.Mode != Dir {
			return !removed(dir), nil
		}
		break
	}
	entry, err := m.ours.Lookup(e.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || entry.Mode != Dir {
		return false, err
	}
	left := false // files of ours remain in a folder that theirs replaces by a file
	err = Files(m.ours, e.Path, func(f Entry) error {
		left = left || !removed(f.Path)
		return nil
	})
	return left, err
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}

func sameEntry(a, b Entry) bool {
	return a.Mode == b.Mode && a.Path == b.Path && (a.Path == "" || !a.Hash.IsZero() && a.Hash == b.Hash)
}
