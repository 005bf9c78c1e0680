package validate

import (
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
)

// checkVersions judges touched capabilities together with those whose callers they serve:
// the ones that they implement or supersede, and their own implementations. A change that
// restores earlier content gets warnings instead of errors: an undo is always possible.
func checkVersions(s *purpose) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	var found diag.List
	for _, l := range all {
		if !l.InHead {
			continue
		}
		for _, check := range []func(loaded) (diag.List, error){s.arrival, s.breaking, s.implements, s.implementers} {
			ds, err := check(l)
			if err != nil {
				return out, err
			}
			found.Add(ds...)
		}
	}
	if brought, err := s.bringsBack(); err != nil {
		return out, err
	} else if brought {
		for i := range found {
			found[i].Severity = max(found[i].Severity, diag.Warning)
		}
	}
	out.Add(found...)
	return out, nil
}

// goesBack turns the errors of an undo or a restoration of a capability into warnings: its
// version and its status go back. Removed test cases are accepted only if the whole folder
// becomes as it was before the merge that is undone.
func (s *purpose) goesBack(l loaded, found diag.List) (diag.List, error) {
	if !found.HasErrors() {
		return found, nil
	}
	brought, err := s.bringsBack()
	if err != nil || !brought {
		return found, err
	}
	whole, err := s.wholly(l.Dir)
	for i, d := range found {
		if d.Rule != capability.RuleSuiteAppend || whole {
			found[i].Severity = max(d.Severity, diag.Warning)
		}
	}
	return found, err
}

// wholly reports whether a folder becomes exactly as it was before the merge that the
// change undoes.
func (s *purpose) wholly(dir string) (bool, error) {
	if s.Merge == nil || s.proposal == nil || s.proposal.Undoes == "" {
		return false, nil
	}
	m, err := s.Merge(s.proposal.Undoes)
	if err != nil || m == nil {
		return false, err
	}
	left, err := tree.Diff(m.Before, s.Head, dir)
	if err != nil {
		return false, fmt.Errorf("compare %s with what it was: %w", dir, err)
	}
	return len(left) == 0, nil
}

// known finds a capability of the head by name.
func (s *capabilities) known(name string) (capability.Capability, bool, error) {
	registry, err := s.registry()
	if err != nil {
		return capability.Capability{}, false, err
	}
	folders, err := registry.Named(name)
	if err != nil || len(folders) == 0 {
		return capability.Capability{}, false, err //nolint:wrapcheck // the caller adds context
	}
	c, _, err := capability.Load(s.Head, folders[0].Path)
	return c, err == nil, err //nolint:wrapcheck // Load names the file
}

// arrived reports whether a name is new. Moved folders and the initial content of a
// workspace are not new.
func (s *capabilities) arrived(l loaded) (bool, error) {
	if l.InBase || s.Beginning {
		return false, nil
	}
	before, err := s.names.Named(l.Name)
	if err != nil {
		return false, fmt.Errorf("look for the name %s: %w", l.Name, err)
	}
	return len(before) == 0, nil
}

func (s *capabilities) arrival(l loaded) (diag.List, error) {
	is, err := s.arrived(l)
	if err != nil || !is {
		return nil, err
	}
	ds := capability.CheckArrival(l.head)
	if !ds.HasErrors() {
		return ds, nil
	}
	all, err := s.load()
	if slices.ContainsFunc(all, func(o loaded) bool {
		return o.InHead && o.head.Status == capability.Active && o.head.Record.Supersedes == l.Name
	}) { // a registry comes in whole
		return nil, err
	}
	return ds, err
}

// breaking judges a breaking version when it comes in, or becomes one.
func (s *capabilities) breaking(l loaded) (diag.List, error) {
	r, was := l.head.Record, l.base.Record
	if !r.Breaking || r.Supersedes == "" {
		return nil, nil
	}
	is, err := s.arrived(l)
	if err != nil {
		return nil, err
	}
	same := l.InBase && was.Breaking && was.Supersedes == r.Supersedes && was.Implements == r.Implements
	if !is && (same || !l.InBase) {
		return nil, nil
	}
	old, there, err := s.known(r.Supersedes)
	if err != nil || !there {
		return nil, err
	}
	return capability.CheckBreaking(l.head, old), nil
}

func (s *capabilities) implements(l loaded) (diag.List, error) {
	name := l.head.Canonical()
	if names.Fold(name) == names.Fold(l.Name) {
		return nil, nil
	}
	canonical, there, err := s.known(name)
	if err != nil || !there {
		return nil, err
	}
	return capability.CheckSignature(l.head, canonical), nil
}

// implementers holds those that implement a capability against its new signature, also where
// they were there before it.
func (s *capabilities) implementers(l loaded) (diag.List, error) {
	if l.InBase && capability.SameSignature(l.base, l.head) {
		return nil, nil
	}
	folders, err := capability.Implementing(s.Base, l.Name)
	if err != nil {
		return nil, fmt.Errorf("look for what implements %s: %w", l.Name, err)
	}
	var out diag.List
	for _, f := range folders {
		if s.touches(f.Path) {
			continue // which judges itself
		}
		impl, _, err := capability.Load(s.Head, f.Path)
		if err != nil {
			return nil, err //nolint:wrapcheck // Load names the file
		}
		for _, d := range capability.CheckSignature(impl, l.head) {
			d.Also, d.Pos = d.Pos, l.head.RecordPos("input")
			out.Add(d)
		}
	}
	return out, nil
}

// checkSuites reports tests of a touched capability that could not be made: inherited and
// standard ones.
func checkSuites(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.InHead {
			continue
		}
		_, found, err := suite.Plan(l.head, s.known)
		if err != nil {
			return out, err //nolint:wrapcheck // Plan adds context
		}
		invalid := slices.ContainsFunc(l.headDiags, func(d diag.Diagnostic) bool { return d.Rule == capability.RuleRecordSchema })
		for _, d := range found {
			if !invalid || d.Rule != suite.RuleStandard { // an invalid schema is reported once
				out.Add(d)
			}
		}
	}
	return out, nil
}
