package validate

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

// checkNeeded finds capabilities that need one which the change removes, or whose code it
// removes. Those that the change touches as well are judged by themselves.
func checkNeeded(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	var found diag.List
	for _, l := range all {
		if !l.InBase {
			continue
		}
		lost, err := s.lost(l)
		if err != nil {
			return out, err
		}
		if lost.what == "" {
			continue
		}
		ds, err := s.needing(l, lost)
		if err != nil {
			return out, err
		}
		found.Add(ds...)
	}
	if !found.HasErrors() {
		out.Add(found...)
		return out, nil
	}
	brought, err := s.bringsBack()
	for i := range found {
		if brought {
			found[i].Severity = max(found[i].Severity, diag.Warning)
		}
	}
	out.Add(found...)
	return out, err
}

// loss describes a function that a capability loses.
type loss struct {
	what string // in words; empty if nothing is lost
	gone bool   // the name is free
	// severity applies to a program that calls it.
	severity diag.Severity
}

func (s *capabilities) lost(l loaded) (loss, error) {
	if !l.InHead {
		now, there, err := s.known(l.Name)
		switch {
		case err != nil || there && now.Callable() == l.base.Callable(): // it has moved
			return loss{}, err
		case !there:
			return loss{what: "is removed", gone: true}, nil
		}
		l.head = now
	}
	switch {
	case l.base.Callable() && !l.head.Callable():
		return loss{what: "has no code any more"}, nil
	case l.base.Callable() && l.base.Status.Runs() && !l.head.Status.Runs():
		return loss{what: "becomes " + string(l.head.Status) + ", which does not run", severity: diag.Warning}, nil
	}
	return loss{}, nil
}

// needing lists those that lose something.
func (s *capabilities) needing(l loaded, lost loss) (diag.List, error) {
	folders, err := capability.Needing(s.Base, l.Name)
	if err != nil {
		return nil, fmt.Errorf("look for what needs %s: %w", l.Name, err)
	}
	callers, err := composed.Callers(s.Base, l.Name)
	if err != nil {
		return nil, fmt.Errorf("look for what calls %s: %w", l.Name, err)
	}
	folders = append(slices.Clip(folders), callers...)
	order.Sort(folders, capability.CompareFolders)
	folders = slices.Compact(folders)
	pos := diag.Pos{File: tree.Join(l.Dir, capability.SkillFile)}
	var out diag.List
	for _, f := range folders {
		if s.touches(f.Path) || f.Path == l.Dir {
			continue
		}
		c, _, err := capability.Glance(s.Base, f)
		if err != nil {
			return nil, err //nolint:wrapcheck // Glance names the file
		}
		if field := c.Record.Needs(l.Name); lost.gone && field != "" {
			severity := diag.Warning
			if field == "requires" && c.Status != capability.Retired { // it could not be linked any more
				severity = diag.Error
			}
			out.Add(diag.Diagnostic{Rule: RuleNeeded, Severity: severity, Pos: pos, Also: diag.Pos{File: tree.Join(f.Path, capability.RecordFile)},
				Fix: "change or remove that one in the same proposal", Message: fmt.Sprintf("%s %s, and %s names it in %s", l.Name, lost.what, c.Name, field)})
		}
		at, calls, err := s.callsOf(c, l.Name)
		if err != nil {
			return nil, err
		}
		if calls {
			out.Add(diag.Diagnostic{Rule: RuleNeeded, Severity: lost.severity, Pos: pos, Also: at,
				Fix: "change or remove that one in the same proposal", Message: fmt.Sprintf("%s %s, and the composed tool %s calls it", l.Name, lost.what, c.Name)})
		}
	}
	return out, nil
}

// callsOf finds where a composed tool calls a capability.
func (s *capabilities) callsOf(c capability.Capability, name string) (diag.Pos, bool, error) {
	if !isComposed(c) || !c.Callable() || c.Status == capability.Retired {
		return diag.Pos{}, false, nil
	}
	program, _, err := s.program(c)
	if err != nil || program == nil {
		return diag.Pos{}, false, err
	}
	for _, call := range program.Calls() {
		if called, _ := capability.SplitCall(call.Name); names.Fold(called) == names.Fold(name) {
			return call.Pos, true, nil
		}
	}
	return diag.Pos{}, false, nil
}
