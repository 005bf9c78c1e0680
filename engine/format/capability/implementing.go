package capability

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Implementer finds capabilities by what they implement. Views that know an index
// implement it, as they implement Namer.
type Implementer interface {
	// Implementing returns the folders whose records say that they implement the
	// capability of that name, in Git's order.
	Implementing(name string) ([]Folder, error)
}

// Implementing returns the capabilities of v whose records say that they implement the
// one of that name. A view that has no index is read through.
func Implementing(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Implementer); ok {
		return knows.Implementing(name) //nolint:wrapcheck // the caller says what is looked for
	}
	return foldersWhere(v, "implements "+clip(name), func(c Capability) bool {
		return c.Record.Implements != "" && names.Fold(c.Record.Implements) == names.Fold(name)
	})
}

// Ways returns the capabilities of v that are one way to do what is called so: the one of that
// name, and those that implement it.
func Ways(v tree.View, n Namer, name string) ([]Folder, error) {
	own, err := n.Named(name)
	if err != nil {
		return nil, fmt.Errorf("look for %s: %w", clip(name), err)
	}
	implementing, err := Implementing(v, name)
	if err != nil {
		return nil, fmt.Errorf("look for what implements %s: %w", clip(name), err)
	}
	out := slices.Clone(own)
	for _, f := range implementing {
		if !slices.Contains(own, f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// foldersWhere reads through v for the capabilities that are looked for, in Git's order.
func foldersWhere(v tree.View, lookedFor string, is func(Capability) bool) ([]Folder, error) {
	all, _, err := Folders(v)
	if err != nil {
		return nil, err
	}
	var out []Folder
	for _, f := range all {
		c, _, err := Glance(v, f)
		if err != nil {
			return nil, fmt.Errorf("look for what %s: %w", lookedFor, err)
		}
		if is(c) {
			out = append(out, f)
		}
	}
	return out, nil
}

// SameSignature reports whether two versions of a capability take and answer the same,
// word for word.
func SameSignature(a, b Capability) bool {
	return a.Kind == b.Kind && reflect.DeepEqual(a.Record.Input, b.Record.Input) && reflect.DeepEqual(a.Record.Output, b.Record.Output)
}
