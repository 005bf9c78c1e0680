package capability

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Implementer finds the implementations of a capability. Views with an index implement
// it, as they implement Namer.
type Implementer interface {
	// Implementing returns the folders whose records implement the named capability, in
	// Git's order.
	Implementing(name string) ([]Folder, error)
}

// Implementing returns the capabilities of v whose records implement the named one. A
// view without an index is searched completely.
func Implementing(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Implementer); ok {
		return knows.Implementing(name) //nolint:wrapcheck // the caller adds the context
	}
	return foldersWhere(v, "implements "+clip(name), func(c Capability) bool {
		return c.Record.Implements != "" && names.Fold(c.Record.Implements) == names.Fold(name)
	})
}

// Ways returns the capabilities of v that provide name: the one of that name, and its
// implementations.
func Ways(v tree.View, n Namer, name string) ([]Folder, error) {
	own, err := n.Named(name)
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", clip(name), err)
	}
	implementing, err := Implementing(v, name)
	if err != nil {
		return nil, fmt.Errorf("look for implementations of %s: %w", clip(name), err)
	}
	out := slices.Clone(own)
	for _, f := range implementing {
		if !slices.Contains(own, f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// foldersWhere searches all of v for capabilities that satisfy is, in Git's order.
func foldersWhere(v tree.View, lookedFor string, is func(Capability) bool) ([]Folder, error) {
	all, _, err := Folders(v)
	if err != nil {
		return nil, err
	}
	var out []Folder
	for _, f := range all {
		c, _, err := Glance(v, f)
		if err != nil {
			return nil, fmt.Errorf("search capabilities (%s): %w", lookedFor, err)
		}
		if is(c) {
			out = append(out, f)
		}
	}
	return out, nil
}

// SameSignature reports whether two versions of a capability have literally the same
// kind, input and output.
func SameSignature(a, b Capability) bool {
	return a.Kind == b.Kind && reflect.DeepEqual(a.Record.Input, b.Record.Input) && reflect.DeepEqual(a.Record.Output, b.Record.Output)
}
