package suite

import (
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// maxAncestors bounds the chain of superseded capabilities.
const maxAncestors = 16

// Finder looks up a capability by name; there is false if none has it.
type Finder func(name string) (c capability.Capability, there bool, err error)

// InheritedCases returns the cases of the capabilities that c supersedes directly or
// indirectly, the nearest first. All are required. Nothing is inherited across a breaking
// version, whose callers must change. A cycle of supersedes is a diagnostic, even across
// breaking versions. The error is the finder's.
func InheritedCases(c capability.Capability, find Finder) ([]Case, diag.List, error) {
	var cases []Case
	var out diag.List
	seen, way := map[string]bool{names.Fold(c.Name): true}, []string{c.Name}
	output, inherits := outputOf(c.Record), true
	for at := c; at.Record.Supersedes != ""; {
		inherits = inherits && !at.Record.Breaking
		was, there, err := find(at.Record.Supersedes)
		if err != nil {
			return nil, nil, fmt.Errorf("look up the capability that %s supersedes: %w", at.Name, err)
		}
		if !there { // the reference's own check reports it
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

// Plan lists all cases of a capability: own, inherited and standard ones. The diagnostics
// report cases that could not be made.
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
