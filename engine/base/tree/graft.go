package tree

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Graft is base with some of its top-level folders replaced by those of another view.
type Graft struct {
	base, other View
	dirs        []string
}

// NewGraft returns base with its top-level folders dirs replaced by those of other. A folder
// may be missing in either.
func NewGraft(base, other View, dirs ...string) *Graft {
	return &Graft{base: base, other: other, dirs: dirs}
}

func (g *Graft) of(path string) View {
	first, _, _ := strings.Cut(path, "/")
	if slices.Contains(g.dirs, first) {
		return g.other
	}
	return g.base
}

// Lookup implements View. The root has no hash, because no such tree is stored.
func (g *Graft) Lookup(path string) (Entry, error) {
	if path == "" {
		return Entry{Mode: Dir, Size: -1}, nil
	}
	return g.of(path).Lookup(path)
}

// List implements View.
func (g *Graft) List(dir string) ([]Entry, error) {
	if dir != "" {
		return g.of(dir).List(dir)
	}
	var out []Entry
	for _, v := range []View{g.base, g.other} {
		entries, err := v.List("")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if g.of(e.Path) == v {
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return Compare(a.Path, a.Mode, b.Path, b.Mode) })
	return out, nil
}

// Read implements View.
func (g *Graft) Read(path string) ([]byte, error) { return g.of(path).Read(path) }

// Size implements Sizer.
func (g *Graft) Size(e Entry) (int64, error) { return Size(g.of(e.Path), e) }
