package capability

import (
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Needer finds the dependents of a capability by their records. Views with an index
// implement it, as they implement Namer.
type Needer interface {
	// Needing returns the folders whose records require or apply to the named capability,
	// in Git's order.
	Needing(name string) ([]Folder, error)
}

// Needing returns the capabilities of v whose records need the named one; see Needer.
// Calls inside programs are not in records. A view without an index is searched
// completely.
func Needing(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Needer); ok {
		return knows.Needing(name) //nolint:wrapcheck // the caller adds the context
	}
	return foldersWhere(v, "needs "+clip(name), func(c Capability) bool { return c.Record.Needs(name) != "" })
}

// Needs returns the field by which a record requires or applies to the capability; empty
// if it does neither.
func (r Record) Needs(name string) string {
	switch {
	case hasName(r.Requires.Capabilities, name):
		return "requires"
	case r.Applies(name):
		return "applies_to"
	}
	return ""
}

// Applies reports whether applies_to of a record names the capability.
func (r Record) Applies(name string) bool { return hasName(r.AppliesTo, name) }

func hasName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(n string) bool { return names.Fold(n) == names.Fold(name) })
}

// Applier finds capabilities by their applies_to. Views with an index implement it, as
// they implement Namer.
type Applier interface {
	// Applying returns the folders whose records apply to the named capability, in Git's
	// order.
	Applying(name string) ([]Folder, error)
}

// Applying returns the capabilities of v whose records apply to the named one. A view
// without an index is searched completely.
func Applying(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Applier); ok {
		return knows.Applying(name) //nolint:wrapcheck // the caller adds the context
	}
	return foldersWhere(v, "applies to "+clip(name), func(c Capability) bool { return c.Record.Applies(name) })
}
