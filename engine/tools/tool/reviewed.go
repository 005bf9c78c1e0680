package tool

import (
	"bytes"
	"slices"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// unreviewed refuses what a server lists, but nobody reviewed.
func unreviewed(c capability.Capability, format string, args ...any) error {
	return refuse(Unreviewed, "assent propose --methods "+names.ShellWord(c.Name)+" proposes the methods that the server lists now", format, args...)
}

// reviewed refuses a server whose code is elsewhere, and whose methods were not merged with it.
func (may permits) reviewed(c capability.Capability) error {
	//defence:servers-elsewhere-need-a-list
	if c.Methods == nil && c.Record.Run.Runtime == capability.MCPHTTP && !may.trial {
		return unreviewed(c, "%s is a server at an address and has no methods.yaml", c.Name)
	}
	return nil
}

// agreed is the method that a call names: as it was merged, if the server lists exactly that. A server without a
// methods.yaml is taken at its word.
func agreed(listed []capability.Method, j job) (capability.Method, error) {
	c := j.capability
	if c.Methods == nil {
		return methodNamed(listed, j)
	}
	m, err := methodNamed(c.Methods, j)
	if err != nil {
		return m, unreviewed(c, "no method %q of the server %s was merged with it", j.method, c.Name)
	}
	now := slices.DeleteFunc(slices.Clone(listed), func(l capability.Method) bool { return l.Name != m.Name })
	//defence:methods-are-as-merged
	if len(now) != 1 || !alike(now[0], m) {
		return m, unreviewed(c, "the server %s lists %q differently than it was merged, twice, or not at all", c.Name, m.Name)
	}
	return m, nil
}

// alike compares name, description and schema as JSON.
func alike(a, b capability.Method) bool {
	x, errX := encode(a)
	y, errY := encode(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
