package validate

import (
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/proposal"
)

// Merged is what one merge of main changed: the trees before and after it.
type Merged struct{ Before, After tree.View }

// purpose is what a change is for, as far as its content shows.
type purpose struct {
	*capabilities
	derived proposal.Kind // see kind
}

// kind is what kind of proposal a change is, by what it changes. What the proposal says
// of itself tells apart only where the change bears it out: an undo takes back what a
// merge did, a restoration brings back what was there, a repair leaves alone what a
// capability is for and may do. Empty without a proposal.
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

// lives is what becomes of capabilities: of several things the gravest. Empty where they
// stay what they are.
func (s *capabilities) lives() (proposal.Kind, error) {
	all, err := s.load()
	found := map[proposal.Kind]bool{}
	for _, l := range all {
		switch {
		case !l.inHead:
			found[proposal.Archive] = true
		case !l.inBase:
			found[proposal.Add] = true
		case ended(l.head) && l.head.Status != l.base.Status:
			found[proposal.Deprecate] = true
		case rank(l.head) > rank(l.base) || ended(l.base) && !ended(l.head):
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

func rank(c capability.Capability) int { return slices.Index(capability.Statuses(), c.Status) }

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

// undoes reports whether every file becomes what it was before the merge that the
// proposal says it takes back, and that changed it.
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
		return now == old.Hash && c.New.Mode == old.Mode, err
	})
}

// restores reports whether every file becomes what it was at some time before.
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

// repairs reports whether all capabilities that change stay what they are for, and may do
// what they might before.
func (s *purpose) repairs() bool {
	for _, l := range s.loaded {
		a, b := l.base, l.head
		ra, rb := a.Record, b.Record
		same := l.inBase && l.inHead && a.Description == b.Description && a.Kind == b.Kind && a.Executable == b.Executable &&
			reflect.DeepEqual(ra.Requires, rb.Requires) && slices.Equal(ra.SideEffects, rb.SideEffects) && slices.Equal(ra.Permissions, rb.Permissions)
		if !same {
			return false
		}
	}
	return len(s.loaded) > 0
}

// checkKind says what kind a change is where the proposal says otherwise, and keeps
// proposals to what their kind may touch where another kind would have to be written.
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
	told := said == kind || said == proposal.Add || said == proposal.Revise // which say nothing that could help
	for _, c := range s.changes {
		adds := c.Added() && names.Area(c.Path) == names.SkillsArea && path.Base(c.Path) == names.SkillFile
		switch {
		case c.Path == s.file:
		case bound && names.Area(c.Path) != area:
			told = true
			fix := "leave kind out of the draft: the engine finds it"
			if said == kind { // the engine found it
				fix = "propose the parts apart, each by its path: assent propose PATH"
			}
			out.Errorf(proposal.RuleKind, pos, fix,
				"a proposal of kind %s cannot change %s", said, c.Path)
		case adds && slices.Contains([]proposal.Kind{proposal.Repair, proposal.Revise, proposal.Promote, proposal.Deprecate}, said):
			told = true
			out.Errorf(proposal.RuleKind, pos, "write kind: add, or leave it out of the draft of a new proposal: the engine finds it",
				"a proposal of kind %s cannot add %s", said, path.Dir(c.Path))
		}
	}
	if !told {
		out.Notef(proposal.RuleKind, pos, "", "the proposal says that it is of kind %s; by what it changes it is of kind %s, and is judged as that", said, kind)
	}
	return out, nil
}
