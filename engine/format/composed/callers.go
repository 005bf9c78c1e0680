package composed

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Callees returns the names of the capabilities that a composed tool calls, each once, in
// the order of its text. It returns none for any other capability, or without a readable
// program.
func Callees(v tree.View, c capability.Capability) ([]string, error) {
	if c.Record.Run == nil || c.Record.Run.Runtime != capability.Starlark || !fs.ValidPath(c.Record.Run.Entry) {
		return nil, nil
	}
	path := tree.Join(c.Path, c.Record.Run.Entry)
	entry, err := v.Lookup(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !entry.Mode.IsFile() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", path, err)
	}
	src, err := v.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	program, found := Parse(path, src)
	if found.HasErrors() {
		return nil, nil
	}
	var out []string
	for _, call := range program.calls {
		if name, _ := capability.SplitCall(call.Name); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// Indexed finds the callers of a capability. Views with an index implement it, as they
// implement capability.Namer.
type Indexed interface {
	// Callers returns the folders of the composed tools that call the named capability,
	// in Git's order.
	Callers(name string) ([]capability.Folder, error)
}

// Callers returns the composed tools of v that call the named capability. A view without
// an index is searched completely.
func Callers(v tree.View, name string) ([]capability.Folder, error) {
	if knows, ok := v.(Indexed); ok {
		return knows.Callers(name) //nolint:wrapcheck // the caller adds the context
	}
	all, _, err := capability.Folders(v)
	if err != nil {
		return nil, fmt.Errorf("look for what calls %s: %w", name, err)
	}
	var out []capability.Folder
	for _, f := range all {
		c, _, err := capability.Glance(v, f)
		if err != nil {
			return nil, fmt.Errorf("look for what calls %s: %w", name, err)
		}
		called, err := Callees(v, c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(called, func(n string) bool { return names.Fold(n) == names.Fold(name) }) {
			out = append(out, f)
		}
	}
	return out, nil
}
