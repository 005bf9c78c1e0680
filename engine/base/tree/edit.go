package tree

import (
	"maps"
	"slices"
	"strings"
)

// Edit is one change of a tree: the file at Path gets Content, or is removed.
type Edit struct {
	Path    string
	Mode    Mode // Regular when zero
	Content []byte
	// Hash is used instead of Content if the blob is already stored.
	Hash Hash
	// Remove deletes the file. A directory disappears with its last file.
	Remove bool
}

// Map is a View of files in memory, by path. NewMap creates it.
type Map struct {
	files map[string]mapFile
	dirs  map[string][]Entry
}

type mapFile struct {
	entry   Entry
	content []byte
}

// NewMap returns a view with exactly these files. A later edit of a path wins; removals of
// missing paths do nothing. Edits with a Hash need their Content too, because a Map has no
// object store.
func NewMap(edits ...Edit) *Map {
	m := &Map{files: map[string]mapFile{}}
	for _, e := range edits {
		if e.Remove {
			delete(m.files, e.Path)
			continue
		}
		mode := e.Mode
		if mode == 0 {
			mode = Regular
		}
		entry := Entry{Path: e.Path, Mode: mode, Hash: BlobHash(e.Content), Size: int64(len(e.Content))}
		m.files[e.Path] = mapFile{entry: entry, content: e.Content}
	}
	m.index()
	return m
}

// MapOf is NewMap for plain text files, for tests and fixtures.
func MapOf(files map[string]string) *Map {
	var edits []Edit
	for _, path := range slices.Sorted(maps.Keys(files)) {
		edits = append(edits, Edit{Path: path, Content: []byte(files[path])})
	}
	return NewMap(edits...)
}

func (m *Map) index() {
	m.dirs = map[string][]Entry{"": nil}
	for path, f := range m.files {
		dir := m.parent(path)
		m.dirs[dir] = append(m.dirs[dir], f.entry)
	}
	for _, entries := range m.dirs {
		slices.SortFunc(entries, func(a, b Entry) int { return Compare(a.Path, a.Mode, b.Path, b.Mode) })
	}
}

// parent returns path's directory, after listing it and its parents in theirs.
func (m *Map) parent(path string) string {
	dir := ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir = path[:i]
	}
	if _, known := m.dirs[dir]; !known {
		m.dirs[dir] = nil
		up := m.parent(dir)
		m.dirs[up] = append(m.dirs[up], Entry{Path: dir, Mode: Dir, Size: -1})
	}
	return dir
}

// Lookup implements View.
func (m *Map) Lookup(path string) (Entry, error) {
	if f, ok := m.files[path]; ok {
		return f.entry, nil
	}
	if _, ok := m.dirs[path]; ok {
		return Entry{Path: path, Mode: Dir, Size: -1}, nil
	}
	return Entry{}, ErrNotExist
}

// List implements View.
func (m *Map) List(dir string) ([]Entry, error) {
	entries, ok := m.dirs[dir]
	if !ok {
		return nil, ErrNotExist
	}
	return slices.Clone(entries), nil
}

// Read implements View.
func (m *Map) Read(path string) ([]byte, error) {
	f, ok := m.files[path]
	if !ok {
		return nil, ErrNotExist
	}
	return f.content, nil
}
