package validate

import (
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/format/soul"
)

// Merged has the trees before and after one merge into main.
type Merged struct{ Before, After tree.View }

// purpose adds the kind of the change, as far as its content shows it.
type purpose struct {
	*capabilities
	derived proposal.Kind // see kind
}

// kind returns the kind of proposal, derived from the changed files. The kind that the
// proposal declares counts only if the change confirms it: an undo reverts a merge, a
// restoration restores earlier content, and a repair leaves the purpose and the permissions
// of a capability alone. It is empty without a proposal.
func (s *purpose) kind() (proposal.Kind, error) {
	if s.proposal == nil || s.derived != "" {
		return s.derived, nil
	}
	found, err := s.changedKind()
	if err != nil {
		return "", err
	}
	borne := false
	switch s.proposal.Kind {
	case proposal.Undo:
		borne, err = s.undoes()
	case proposal.Restore:
		borne, err = s.restores()
	case proposal.Repair:
		borne = found == proposal.Revise && s.repairs()
	}
	if err != nil {
		return "", err
	}
	//defence:kinds-are-borne-out
	if !borne {
		s.derived = found
		return found, nil
	}
	s.derived = s.proposal.Kind
	return s.derived, nil
}

// changedKind is the kind that the change alone shows.
func (s *purpose) changedKind() (proposal.Kind, error) {
	areas := map[names.AreaName]bool{}
	for _, c := range s.changes {
		if own, err := s.engines(c); err != nil {
			return "", err
		} else if !own {
			areas[names.Area(c.Path)] = true
		}
	}
	lives, err := s.lives()
	switch {
	case err != nil:
		return "", err
	case areas[names.PoliciesArea]:
		return proposal.Policy, nil
	case areas[names.WorkflowsArea]:
		return proposal.Workflow, nil
	case lives != "":
		return lives, nil
	case areas[names.SkillsArea] || !areas[names.SoulArea]:
		return proposal.Revise, nil
	}
	return proposal.Soul, nil
}

// lives returns the gravest change in the life of any capability. It is empty if none is
// added, archived, promoted or deprecated.
func (s *capabilities) lives() (proposal.Kind, error) {
	all, err := s.load()
	found := map[proposal.Kind]bool{}
	for _, l := range all {
		switch {
		case !l.InHead:
			found[proposal.Archive] = true
		case !l.InBase:
			found[proposal.Add] = true
		case l.head.Status.Moved(l.base.Status) < 0:
			found[proposal.Deprecate] = true
		case l.head.Status.Moved(l.base.Status) > 0:
			found[proposal.Promote] = true
		}
	}
	for _, k := range []proposal.Kind{proposal.Archive, proposal.Deprecate, proposal.Add, proposal.Promote} {
		if found[k] {
			return k, err
		}
	}
	return "", err
}

// engines reports whether a change is the engine's alone: the proposal's own file, or
// learned entries.
func (s *purpose) engines(c tree.Change) (bool, error) {
	if c.Path == s.file {
		return true, nil
	}
	if c.Removed() || c.Added() || !c.New.Mode.IsFile() {
		return false, nil
	}
	return s.ownEntries(c)
}

// every reports whether something holds for all that the change alters beside the
// engine's part, and that there is such.
func (s *purpose) every(holds func(tree.Change) (bool, error)) (bool, error) {
	some := false
	for _, c := range s.changes {
		own, err := s.engines(c)
		if err != nil {
			return false, err
		}
		if own {
			continue
		}
		if is, err := holds(c); err != nil || !is {
			return false, err
		}
		some = true
	}
	return some, nil
}

// undoes reports whether every file becomes as it was before the merge that the proposal
// names in undoes, and was changed by that merge. A learned list that changed since loses or regains
// the entries of the merge only.
func (s *purpose) undoes() (bool, error) {
	if s.Merge == nil || s.proposal.Undoes == "" {
		return false, nil
	}
	m, err := s.Merge(s.proposal.Undoes)
	if err != nil || m == nil {
		return false, err
	}
	changes, err := tree.Diff(m.Before, m.After)
	if err != nil {
		return false, fmt.Errorf("compare what %s changed: %w", s.proposal.Undoes, err)
	}
	was := map[string]tree.Entry{}
	for _, c := range changes {
		was[c.Path] = c.Old
	}
	return s.every(func(c tree.Change) (bool, error) {
		old, changed := was[c.Path]
		if !changed || c.Removed() {
			return changed && old.Path == "", nil
		}
		now, err := s.blobOf(c)
		if now == old.Hash || err != nil || c.New.Mode != old.Mode || c.Added() || old.Path == "" || path.Base(c.Path) != "SOUL.md" {
			return now == old.Hash && c.New.Mode == old.Mode, err
		}
		var sides [3][]byte
		for i, v := range []tree.View{m.After, s.Base, m.Before} {
			if sides[i], err = v.Read(c.Path); err != nil {
				return false, fmt.Errorf("read %s: %w", c.Path, err)
			}
		}
		merged, ok, _ := soul.MergeLearned(sides[0], sides[1], sides[2])
		return ok && tree.BlobHash(merged) == now, nil
	})
}

// restores reports whether every file gets the content of one of its earlier versions.
func (s *purpose) restores() (bool, error) {
	if s.History == nil {
		return false, nil
	}
	return s.every(func(c tree.Change) (bool, error) {
		if c.Removed() {
			return false, nil
		}
		now, err := s.blobOf(c)
		if err != nil {
			return false, err
		}
		earlier, err := s.History(c.Path)
		if err != nil {
			return false, fmt.Errorf("history of %s: %w", c.Path, err)
		}
		return slices.ContainsFunc(earlier, func(e Earlier) bool { return e.Hash == now }), nil
	})
}

// repairs reports whether all changed capabilities keep their purpose and their
// permissions.
func (s *purpose) repairs() bool {
	for _, l := range s.loaded {
		a, b := l.base, l.head
		ra, rb := a.Record, b.Record
		same := l.InBase && l.InHead && a.Description == b.Description && a.Kind == b.Kind && a.Executable == b.Executable &&
			reflect.DeepEqual(ra.Requires, rb.Requires) && slices.Equal(ra.SideEffects, rb.SideEffects) && slices.Equal(ra.Permissions, rb.Permissions)
		if !same {
			return false
		}
	}
	return len(s.loaded) > 0
}

// checkKind notes if the derived kind differs from the declared one. It refuses a proposal
// that changes files which its declared kind excludes.
func checkKind(s *purpose) (diag.List, error) {
	var out diag.List
	if s.proposal == nil || s.proposal.Kind == "" {
		return out, nil
	}
	kind, err := s.kind()
	if err != nil {
		return out, err
	}
	said, pos := s.proposal.Kind, diag.Pos{File: s.file}
	only := map[proposal.Kind]names.AreaName{
		proposal.Soul: names.SoulArea, proposal.Policy: names.PoliciesArea, proposal.Workflow: names.WorkflowsArea,
	}
	area, bound := only[said]
	reported := said == kind || said == proposal.Add || said == proposal.Revise // a note would not help
	for _, c := range s.changes {
		adds := c.Added() && names.Area(c.Path) == names.SkillsArea && path.Base(c.Path) == names.SkillFile
		switch {
		case c.Path == s.file:
		case bound && names.Area(c.Path) != area:
			reported = true
			fix := "leave kind out of the draft: the engine finds it"
			if said == kind { // the engine found it
				fix = "propose the parts apart, each by its path: assent propose PATH"
			}
			out.Errorf(proposal.RuleKind, pos, fix,
				"a proposal of kind %s cannot change %s", said, c.Path)
		case adds && slices.Contains([]proposal.Kind{proposal.Repair, proposal.Revise, proposal.Promote, proposal.Deprecate}, said):
			reported = true
			out.Errorf(proposal.RuleKind, pos, "write kind: add, or leave it out of the draft of a new proposal: the engine finds it",
				"a proposal of kind %s cannot add %s", said, path.Dir(c.Path))
		}
	}
	if !reported {
		out.Notef(proposal.RuleKind, pos, "", "the proposal says that it is of kind %s; by what it changes it is of kind %s, and is judged as that", said, kind)
	}
	return out, nil
}
