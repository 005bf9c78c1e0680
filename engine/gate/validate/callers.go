package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/format/proof"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// maxCallers is how many composed tools are tested again because of one change; the
// others are counted. Each costs a merge as much as a tool that it brings.
const maxCallers = 20

// calling lists the callers, direct and indirect, of capabilities that get new code.
type calling struct {
	// callers are those that the change does not touch, the nearest first; left counts more.
	callers []policy.Capability
	left    int
	// touched are the names, folded, of those in folders that the change touches.
	touched map[string]bool
}

// checkCallers names the composed tools that are tested again because of the change. It
// informs only: the gate requires that their tests pass.
func checkCallers(s *capabilities) (diag.List, error) {
	var out diag.List
	found, err := s.callers()
	if err != nil {
		return out, err
	}
	for _, c := range found.callers {
		out.Notef(RuleCalled, c.Pos, "", "%s calls %s, directly or through others, which this change gives new code: its tests are run again", c.Name, c.Calls)
	}
	if found.left > 0 {
		out.Notef(RuleCalled, found.callers[0].Pos, "test those by hand, once this is in force: assent test NAME", "and %d more call what this change gives new code, and are not tested again", found.left)
	}
	return out, nil
}

// callers follows calls back from the capabilities that get new code. Folders that the
// change does not touch are the same in base and head, and are looked up in the base.
func (s *capabilities) callers() (calling, error) {
	if s.calling != nil {
		return *s.calling, nil
	}
	out := calling{touched: map[string]bool{}}
	all, err := s.load()
	if err != nil {
		return out, err
	}
	type callee struct{ name, root string }
	var next []callee
	seen := map[string]bool{}
	for _, l := range all {
		if l.InHead && runs(l.head) && !(l.InBase && runs(l.base) && s.sameCode(l)) {
			next = append(next, callee{l.head.Name, l.head.Name})
			seen[names.Fold(l.head.Name)] = true
		}
	}
	room := min(maxCallers, max(proof.MaxTrials-len(all), 0))
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		found, err := s.callersOf(at.name)
		if err != nil {
			return out, err
		}
		for _, c := range found {
			if seen[names.Fold(c.Name)] || !runs(c) {
				continue
			}
			seen[names.Fold(c.Name)] = true
			next = append(next, callee{c.Name, at.root})
			switch {
			case s.touches(c.Path):
				out.touched[names.Fold(c.Name)] = true
			case len(out.callers) >= room:
				out.left++
			default:
				l := loaded{Touched: capability.Touched{Capability: names.Capability{Name: c.Name, Dir: c.Path}, InBase: true, InHead: true}, base: c, head: c}
				fact, err := s.capabilityFacts(l)
				if err != nil {
					return out, err
				}
				fact.Calls = at.root
				out.callers = append(out.callers, fact)
			}
		}
	}
	s.calling = &out
	return out, nil
}

// runs reports whether there is something that a call by name would run.
func runs(c capability.Capability) bool { return c.Callable() && c.Status.Runs() }

// callersOf are the composed tools that call a capability in the head.
func (s *capabilities) callersOf(name string) ([]capability.Capability, error) {
	folders, err := composed.Callers(s.Base, name)
	if err != nil {
		return nil, fmt.Errorf("look for what calls %s: %w", name, err)
	}
	var out []capability.Capability
	for _, f := range folders {
		if s.touches(f.Path) {
			continue
		}
		c, _, err := capability.Glance(s.Head, f)
		if err != nil {
			return nil, err //nolint:wrapcheck // Glance names the file
		}
		out = append(out, c)
	}
	all, err := s.load()
	for _, l := range all {
		if !l.InHead {
			continue
		}
		if _, calls, err := s.callsOf(l.head, name); err != nil {
			return nil, err
		} else if calls {
			out = append(out, l.head)
		}
	}
	return out, err
}
