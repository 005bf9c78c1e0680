package suite

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// maxAncestors bounds how many steps back suites are inherited.
const maxAncestors = 16

// Finder looks up a capability by name; there is false where none is called so.
type Finder func(name string) (c capability.Capability, there bool, err error)

// InheritedCases are the cases of what the capability supersedes, and of what that
// superseded in turn, the nearest first. All of them are required. Nothing is inherited
// across a breaking version, whose callers have to change. That a capability supersedes
// itself on some way round is a finding, breaking versions or not; the error is the finder's.
func InheritedCases(c capability.Capability, find Finder) ([]Case, diag.List, error) {
	var cases []Case
	var out diag.List
	seen, way := map[string]bool{names.Fold(c.Name): true}, []string{c.Name}
	output, inherits := outputOf(c.Record), true
	for at := c; at.Record.Supersedes != ""; {
		inherits = inherits && !at.Record.Breaking
		was, there, err := find(at.Record.Supersedes)
		if err != nil {
			return nil, nil, fmt.Errorf("look for what %s supersedes: %w", at.Name, err)
		}
		if !there { // the reference's own check says so
			break
		}
		key := names.Fold(was.Name)
		way = append(way, was.Name)
		switch pos := c.RecordPos("supersedes"); {
		case seen[key]:
			out.Errorf(RuleInherited, pos, "name only what came before it", "what it supersedes leads round in a circle: %s", strings.Join(way, " → "))
			return nil, out, nil
		case len(seen) > maxAncestors && !inherits:
			return cases, out, nil
		case len(seen) > maxAncestors:
			out.Errorf(RuleInherited, pos, "retire the oldest, and leave supersedes out there", "it supersedes more than %d versions, one after another", maxAncestors)
			return nil, out, nil
		}
		seen[key] = true
		at = was
		if !inherits {
			continue
		}
		for _, k := range OwnCases(was) {
			k.Origin, k.From, k.Required, k.Output = Inherits, was.Name, true, output
			cases = append(cases, k)
		}
	}
	return cases, out, nil
}

// Plan lists all cases of a capability: its own, the inherited ones, the standard
// ones. The diagnostics say what could not be made of them.
func Plan(c capability.Capability, find Finder) ([]Case, diag.List, error) {
	inherited, out, err := InheritedCases(c, find)
	if err != nil {
		return nil, nil, err
	}
	standard, found := StandardCases(c)
	out.Add(found...)
	cases := OwnCases(c)
	cases = append(cases, inherited...)
	return append(cases, standard...), out, nil
}
