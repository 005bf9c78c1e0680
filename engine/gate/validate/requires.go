package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// checkRequires refuses capabilities that require each other in a cycle, each cycle once. One
// that the change closes goes through a capability that it touches. Of a cycle that stood
// before, and of one that an undo brings back, it warns.
func checkRequires(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	r := requiring{s: s, known: map[string]*capability.Capability{}}
	var seen []string
	for _, l := range all {
		if !l.InHead {
			continue
		}
		for i, name := range l.head.Record.Requires.Capabilities {
			cycle, err := r.path(name, l.head, map[string]bool{})
			if err != nil {
				return out, err
			}
			if len(cycle) < 2 { // the check of its record reports a capability that requires itself
				continue
			}
			if key := keyOf(cycle); !slices.Contains(seen, key) {
				seen = append(seen, key)
				if err := r.refuse(&out, l.head.RecordPos("requires", "capabilities", i), cycle); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// requiring follows the requirements of capabilities in the head.
type requiring struct {
	s     *purpose
	known map[string]*capability.Capability // by folded name; nil if there is no such capability
}

// path returns a path from the capability called name to end, which is its first element. It
// is empty if no path exists. Paths in visited are dead ends.
func (r requiring) path(name string, end capability.Capability, visited map[string]bool) ([]capability.Capability, error) {
	if names.Fold(name) == names.Fold(end.Name) {
		return []capability.Capability{end}, nil
	}
	at, err := r.named(name)
	if err != nil || at == nil || visited[at.Path] {
		return nil, err
	}
	visited[at.Path] = true
	for _, next := range at.Record.Requires.Capabilities {
		if rest, err := r.path(next, end, visited); err != nil || rest != nil {
			return slices.Insert(rest, min(1, len(rest)), *at), err
		}
	}
	return nil, nil
}

func (r requiring) named(name string) (*capability.Capability, error) {
	key := names.Fold(name)
	if c, ok := r.known[key]; ok {
		return c, nil
	}
	registry, err := r.s.registry()
	if err != nil {
		return nil, err
	}
	found, err := registry.Named(name)
	if err != nil {
		return nil, fmt.Errorf("look for the name %s: %w", name, err)
	}
	r.known[key] = nil
	if len(found) > 0 {
		c, _, err := capability.Glance(r.s.Head, found[0])
		if err != nil {
			return nil, err //nolint:wrapcheck // Glance names the file
		}
		r.known[key] = &c
	}
	return r.known[key], nil
}

// keyOf returns the same key for a cycle from whichever capability it is entered.
func keyOf(cycle []capability.Capability) string {
	var paths []string
	for _, c := range cycle {
		paths = append(paths, c.Path)
	}
	slices.Sort(paths)
	return strings.Join(paths, "\n")
}

func (r requiring) refuse(out *diag.List, pos diag.Pos, cycle []capability.Capability) error {
	severity := diag.Error
	before, err := r.stoodBefore(cycle)
	if err != nil {
		return err
	}
	brought, err := r.s.bringsBack()
	if err != nil {
		return err
	}
	if before || brought {
		severity = diag.Warning
	}
	var way []string
	for _, c := range append(slices.Clip(cycle), cycle[0]) {
		way = append(way, c.Name)
	}
	out.Add(diag.Diagnostic{
		Rule: RuleCycle, Severity: severity, Pos: pos,
		Fix:     "take the requirement out of one of them, or move what both need into a capability of its own",
		Message: "the requirement closes a cycle: " + strings.Join(way, " → "),
	})
	return nil
}

// stoodBefore reports whether each requirement of a cycle is in the base.
func (r requiring) stoodBefore(cycle []capability.Capability) (bool, error) {
	all, err := r.s.load()
	if err != nil {
		return false, err
	}
	for i, c := range cycle {
		at := slices.IndexFunc(all, func(l loaded) bool { return l.InHead && l.Dir == c.Path })
		if at < 0 {
			continue
		}
		next := cycle[(i+1)%len(cycle)].Name
		if !all[at].InBase || !slices.ContainsFunc(all[at].base.Record.Requires.Capabilities, func(n string) bool { return names.Fold(n) == names.Fold(next) }) {
			return false, nil
		}
	}
	return true, nil
}
