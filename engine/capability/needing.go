package capability

import (
	"slices"

	"github.com/assent-dev/assent/engine/names"
	"github.com/assent-dev/assent/engine/tree"
)

// Needer finds capabilities that may need another one. Views that know an index
// implement it, as they implement Namer.
type Needer interface {
	// MayNeed returns the folders whose records require or apply to the capability of that
	// name, and those of tools with code, whose programs may call it; in Git's order.
	MayNeed(name string) ([]Folder, error)
}

// MayNeed returns the capabilities of v that may need the one of that name; see Needer. A
// view that has no index is read through.
func MayNeed(v tree.View, name string) ([]Folder, error) {
	if knows, ok := v.(Needer); ok {
		return knows.MayNeed(name) //nolint:wrapcheck // the caller says what is looked for
	}
	return foldersWhere(v, "needs "+clip(name), func(c Capability) bool {
		return c.Executable && c.Kind == KindTool || c.Record.Needs(name) != ""
	})
}

// Needs says by which field a record names the capability as one that it requires or
// applies to; empty where it does not.
func (r Record) Needs(name string) string {
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(n string) bool { return names.Fold(n) == names.Fold(name) })
	}
	switch {
	case named(r.Requires.Capabilities):
		return "requires"
	case named(r.AppliesTo):
		return "applies_to"
	}
	return ""
}
