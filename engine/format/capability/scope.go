package capability

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Scope is the part of skills/ in which a change can create or remove capabilities.
// Outside of it, both trees have the same ones.
type Scope struct {
	touched map[string]bool // folders with a change somewhere in them
	whole   map[string]bool // folders below skills/ that changed between capability and group
}

// ScopeOf returns the scope of changes, the differences of base and head.
func ScopeOf(base, head tree.View, changes []tree.Change) (Scope, error) {
	s := Scope{touched: map[string]bool{}, whole: map[string]bool{}}
	for _, c := range changes {
		parts := strings.SplitN(c.Path, "/", 4)
		if parts[0] != Root {
			continue
		}
		for n := 2; n < len(parts); n++ {
			s.touched[strings.Join(parts[:n], "/")] = true
		}
	}
	for dir := range s.touched {
		if strings.Count(dir, "/") > 1 {
			continue
		}
		was, err := claimed(base, dir)
		if err != nil {
			return s, err
		}
		is, err := claimed(head, dir)
		if err != nil {
			return s, err
		}
		s.whole[dir] = was != is
	}
	return s, nil
}

// claimed reports whether a folder directly below skills/ counts as a capability, so that
// it is not searched.
func claimed(v tree.View, dir string) (bool, error) {
	entries, err := v.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("list capabilities: %w", err)
	}
	owned := map[string]tree.Entry{}
	for _, e := range entries {
		owned[e.Path[len(dir)+1:]] = e
	}
	return (&finder{v: v}).capability(dir, 1, owned), nil
}

// Folders is the function Folders restricted to the scope.
func (s Scope) Folders(v tree.View) ([]Folder, diag.List, error) {
	f := finder{v: v, enters: func(path string, depth int) bool {
		return depth > 2 || s.touched[path] || depth == 2 && s.whole[path[:strings.LastIndexByte(path, '/')]]
	}}
	return f.all()
}
