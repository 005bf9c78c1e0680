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

// Callees names the capabilities that a composed tool calls, each once, in the order of
// its text. What is no composed tool, has no program or one that cannot be read calls
// nothing.
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

// Indexed finds composed tools by what they call. Views that know an index implement it,
// as they implement capability.Namer.
type Indexed interface {
	// Callers returns the folders of the composed tools that call the capability of that
	// name, in Git's order.
	Callers(name string) ([]capability.Folder, error)
}

// Callers returns the composed tools of v that call the capability of that name. A view
// that has no index is read through.
func Callers(v tree.View, name string) ([]capability.Folder, error) {
	if knows, ok := v.(Indexed); ok {
		return knows.Callers(name) //nolint:wrapcheck // the caller says what is looked for
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
