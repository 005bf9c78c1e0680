package script

import (
	"bytes"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/sandbox"
)

// governed is a view of the governed folders. Anyone who can push can change all else, and no one
// approves it.
type governed struct{ tree.View }

func (g governed) List(dir string) ([]tree.Entry, error) {
	all, err := g.View.List(dir)
	if dir == "" {
		all = slices.DeleteFunc(slices.Clone(all), func(e tree.Entry) bool { return !names.Governed(e.Path) })
	}
	return all, err
}

// hint says why a script may lack a file, "" if its output does not say that it lacks one.
func (r Ready) hint(res sandbox.Result) string {
	said := bytes.ToLower(res.Stderr)
	for _, words := range []string{"no such file", "not found", "no makefile", "cannot find"} {
		if r.Governed && bytes.Contains(said, []byte(words)) {
			return " (a script with secrets or of a required check sees the governed folders only, such as skills/ and workflows/: no one approves the other files)"
		}
	}
	return ""
}
