package validate

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

// checkComposed parses the programs of touched composed tools and follows their calls. A
// cycle that the change closes goes through one of them.
func checkComposed(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.InHead || !isComposed(l.head) {
			continue
		}
		registry, err := s.registry()
		if err != nil {
			return out, err
		}
		program, found, err := s.program(l.head)
		if err != nil {
			return out, err
		}
		out.Add(found...)
		if program == nil {
			continue
		}
		look := callables{s, registry}
		_, found, err = composed.Order(composed.Tool{Name: l.Name, Program: program}, look.find)
		if err != nil {
			return out, err
		}
		out.Add(found...)
	}
	return out, nil
}

func isComposed(c capability.Capability) bool {
	return c.Record.Run != nil && c.Record.Run.Runtime == capability.Starlark
}

// program reads a composed tool's entry. It returns nil if the file is missing, which
// another check reports.
func (s *capabilities) program(c capability.Capability) (*composed.Program, diag.List, error) {
	path := c.Path + "/" + c.Record.Run.Entry
	entry, err := s.Head.Lookup(path)
	if err != nil || !entry.Mode.IsFile() {
		return nil, nil, nil //nolint:nilerr // record-run reports it
	}
	src, err := s.Head.Read(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	program, found := composed.Parse(path, src)
	return program, found, nil
}

// implementing names the tools of the head with code that implement a capability and would run.
func (s *capabilities) implementing(name string) ([]string, error) {
	folders, err := capability.Implementing(s.Base, name)
	if err != nil {
		return nil, fmt.Errorf("look for what implements %s: %w", name, err)
	}
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		if l.InHead && names.Fold(l.head.Record.Implements) == names.Fold(name) && !slices.Contains(folders, l.head.Folder) {
			folders = append(folders, l.head.Folder)
		}
	}
	var out []string
	for _, f := range folders {
		there, err := tree.Exists(s.Head, f.Path)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", f.Path, err)
		}
		if !there {
			continue
		}
		c, _, err := capability.Glance(s.Head, f)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		if c.Callable() && c.Status.Runs() && !c.Record.Breaking && names.Fold(c.Record.Implements) == names.Fold(name) {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// callables resolves tools.<name> in the head.
type callables struct {
	s        *capabilities
	registry capability.Namer
}

func (l callables) find(spelling string) (composed.Tool, bool, error) {
	name, method := capability.SplitCall(spelling)
	known, err := l.registry.Named(name)
	if err != nil || len(known) == 0 {
		return composed.Tool{}, false, err
	}
	c, _, err := capability.Glance(l.s.Head, known[0])
	if err != nil {
		return composed.Tool{}, false, err
	}
	t := composed.Tool{Name: c.Name}
	var ways []string
	if !c.Callable() && c.Kind == capability.KindTool {
		if ways, err = l.s.implementing(c.Name); err != nil {
			return t, false, err
		}
	}
	if t.Why, t.Fix = composed.Uncallable(c, method, ways); t.Why != "" {
		return t, false, nil
	}
	if isComposed(c) {
		t.Program, _, err = l.s.program(c)
	}
	return t, true, err
}
