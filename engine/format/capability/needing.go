package capability

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Needer finds capabilities by what their records need. Views that know an index
// implement it, as they implement Namer.
type Needer interface {
	// Needing returns the folders whose records require or apply to the capability of that
	// name, in Git's order.
	Needing(name string) ([]Folder, error)
}

// Needing returns the capabilities of v whose records need the one of that name; see
// Needer. What programs call, they do not say. A view that has no index is read through.
func Needing(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Needer); ok {
		return knows.Needing(name) //nolint:wrapcheck // the caller says what is looked for
	}
	return foldersWhere(v, "needs "+clip(name), func(c Capability) bool { return c.Record.Needs(name) != "" })
}

// Needs says by which field a record names the capability as one that it requires or
// applies to; empty where it does not.
func (r Record) Needs(name string) string {
	switch {
	case hasName(r.Requires.Capabilities, name):
		return "requires"
	case r.Applies(name):
		return "applies_to"
	}
	return ""
}

// Applies reports whether a record names the capability as one that it applies to.
func (r Record) Applies(name string) bool { return hasName(r.AppliesTo, name) }

func hasName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return names.Fold(n) == names.Fold(name) })
}

// Applier finds capabilities by what they apply to. Views that know an index implement
// it, as they implement Namer.
type Applier interface {
	// Applying returns the folders whose records apply to the capability of that name, in
	// Git's order.
	Applying(name string) ([]Folder, error)
}

// Applying returns the capabilities of v whose records apply to the one of that name. A
// view that has no index is read through.
func Applying(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Applier); ok {
		return knows.Applying(name) //nolint:wrapcheck // the caller says what is looked for
	}
	return foldersWhere(v, "applies to "+clip(name), func(c Capability) bool { return c.Record.Applies(name) })
}
