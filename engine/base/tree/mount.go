package tree

import "strings"

// Mount is a view whose only top-level folder is another view.
type Mount struct {
	dir  string
	view View
}

// NewMount returns the tree whose only content is view, as folder dir.
func NewMount(dir string, view View) *Mount { return &Mount{dir: dir, view: view} }

// inside converts a path of m to a path of its content.
func (m *Mount) inside(path string) (string, bool) {
	if path == m.dir {
		return "", true
	}
	return strings.CutPrefix(path, m.dir+"/")
}

// Lookup implements View. The root has no hash, because no such tree is stored.
func (m *Mount) Lookup(path string) (Entry, error) {
	if path == "" {
		return Entry{Mode: Dir, Size: -1}, nil
	}
	rest, ok := m.inside(path)
	if !ok {
		return Entry{}, ErrNotExist
	}
	e, err := m.view.Lookup(rest)
	e.Path = path
	return e, err
}

// List implements View.
func (m *Mount) List(dir string) ([]Entry, error) {
	if dir == "" {
		e, err := m.Lookup(m.dir)
		return []Entry{e}, err
	}
	rest, ok := m.inside(dir)
	if !ok {
		return nil, ErrNotExist
	}
	entries, err := m.view.List(rest)
	for i := range entries {
		entries[i].Path = m.dir + "/" + entries[i].Path
	}
	return entries, err
}

// Read implements View.
func (m *Mount) Read(path string) ([]byte, error) {
	rest, ok := m.inside(path)
	if !ok {
		return nil, ErrNotExist
	}
	return m.view.Read(rest)
}
