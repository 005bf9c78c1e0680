package proof

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

// View is a tree in which capabilities are found by name.
type View interface {
	tree.View
	capability.Namer
}

// Subject is one capability of a change, with the digest of everything its tests depend
// on.
type Subject struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

// Terms are what the tests' outcome depends on besides trees: the engine's version, the
// hosts that the policies admit, and the kinds that may hold code.
type Terms struct {
	Engine       string
	Hosts, Kinds []string
}

// SubjectOf computes the digest of everything that the outcome of a capability's tests
// depends on: its folder; the folders that it supersedes and calls, directly and
// indirectly; the same for the capability of its name in base; and terms. Absent folders
// are covered too. Readers of an attestation recompute the digest, so its form must never
// change.
func SubjectOf(head, base View, path string, terms Terms) (Subject, error) {
	g := &gathering{}
	g.add("terms", terms.Engine)
	for _, h := range terms.Hosts {
		g.add("host", h)
	}
	for _, k := range terms.Kinds {
		g.add("kind", k)
	}
	views := []View{head, base}
	c, err := g.folder("head", views, path)
	if err != nil {
		return Subject{}, err
	}
	if err := g.named("base", []View{base}, c.Name); err != nil {
		return Subject{}, err
	}
	slices.Sort(g.lines)
	digest := canonical.Digest([]byte("assent-proof 1\n" + strings.Join(slices.Compact(g.lines), "")))
	return Subject{Name: c.Name, Path: path, Digest: digest}, nil
}

// gathering collects the input of a digest.
type gathering struct{ lines []string }

// add adds a line, and reports whether it is new.
func (g *gathering) add(what ...string) bool {
	text := fmt.Sprintf("%q\n", what)
	if slices.Contains(g.lines, text) {
		return false
	}
	g.lines = append(g.lines, text)
	return true
}

// named adds the capability of a name from the first view that has it.
func (g *gathering) named(side string, views []View, name string) error {
	name, _ = capability.SplitCall(name)
	for i, v := range views {
		if v == nil {
			continue
		}
		known, err := v.Named(name)
		if err != nil {
			return fmt.Errorf("look for %s: %w", name, err)
		}
		if len(known) > 0 {
			_, err := g.folder(side, views[i:], known[0].Path)
			return err
		}
	}
	g.add(side, "nothing", name)
	return nil
}

// folder adds a folder of the first view, and the capabilities that it supersedes and
// calls.
func (g *gathering) folder(side string, views []View, path string) (capability.Capability, error) {
	v := views[0]
	c, _, err := capability.Load(v, path)
	if err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	e, err := v.Lookup(path)
	if err != nil {
		return c, fmt.Errorf("look up %s: %w", path, err)
	}
	if e.Hash.IsZero() {
		return c, fmt.Errorf("look up %s: the tree has no names for its contents", path)
	}
	if !g.add(side, path, e.Hash.String()) {
		return c, nil
	}
	if was := c.Record.Supersedes; was != "" {
		if err := g.named(side, views, was); err != nil {
			return c, err
		}
	}
	calls, err := composed.Callees(v, c)
	if err != nil {
		return c, err //nolint:wrapcheck // it says what was read
	}
	for _, name := range calls {
		if err := g.named(side, views[:1], name); err != nil {
			return c, err
		}
	}
	return c, nil
}
