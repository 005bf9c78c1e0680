package validate

import (
	"cmp"
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/scan"
)

// maxTogether bounds how many capabilities of one change are compared with each other. The
// initial content of a workspace may have more.
const maxTogether = 64

// checkDuplicates refuses a capability that is nearly the same as one in force, or as
// another one of the same change. It ignores pairs that were as similar before the change.
func checkDuplicates(s *purpose, compared map[string][]string) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	var brought []likeness
	for _, l := range all {
		if !l.InHead || l.head.Status.Ended() {
			continue
		}
		now, err := sketch(s.Head, l.head)
		if err != nil {
			return out, err
		}
		if err := compareInForce(s, &out, compared, l, now); err != nil {
			return out, err
		}
		if brought = append(brought, likeness{l, now}); len(brought) > maxTogether {
			continue
		}
		for _, o := range brought[:len(brought)-1] {
			if l.lived() && o.lived() {
				continue
			}
			if err := sayAlike(s, &out, l, o.head, duplicate.Compare(now, o.sketch)); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// likeness is a capability of the change, prepared for comparing.
type likeness struct {
	loaded
	sketch duplicate.Sketch
}

// lived reports whether the capability was in the base and was compared there. One that was
// being taken out of use was not compared, so a change that revives it is judged as new.
func (l loaded) lived() bool { return l.InBase && !l.base.Status.Ended() }

func sketch(v tree.View, c capability.Capability) (duplicate.Sketch, error) {
	out := duplicate.Of(c)
	if err := out.Beside(v, c.Path); err != nil {
		return out, fmt.Errorf("read the files of %s: %w", c.Path, err)
	}
	return out, nil
}

// compareInForce compares one capability of the change with those in force that may
// be its like.
func compareInForce(s *purpose, out *diag.List, compared map[string][]string, l loaded, now duplicate.Sketch) error {
	if s.Alike == nil {
		return nil
	}
	found, err := s.Alike(l.head)
	if err != nil {
		return fmt.Errorf("look for capabilities like %s: %w", l.Dir, err)
	}
	for _, f := range found {
		if f.Path == l.Dir || s.touches(f.Path) {
			continue // the change has its own version of it, or takes it away
		}
		compared[l.Dir] = append(compared[l.Dir], f.Path)
		other, _, err := capability.Load(s.Base, f.Path)
		if err != nil {
			return fmt.Errorf("read %s of the base: %w", f.Path, err)
		}
		if !duplicate.Near(duplicate.Of(other), now) {
			continue
		}
		there, err := sketch(s.Base, other)
		if err != nil {
			return err
		}
		like := duplicate.Compare(now, there)
		if l.lived() {
			before, err := sketch(s.Base, l.base)
			if err != nil {
				return err
			}
			if duplicate.Compare(before, there).Degree >= like.Degree {
				continue
			}
		}
		if err := sayAlike(s, out, l, other, like); err != nil {
			return err
		}
	}
	return nil
}

func (s *change) touches(dir string) bool {
	_, ok := s.at[dir]
	return ok
}

// sayAlike reports that l is much like o.
func sayAlike(s *purpose, out *diag.List, l loaded, o capability.Capability, like duplicate.Likeness) error {
	if like.Degree == duplicate.Different || names.Fold(l.Name) == names.Fold(o.Name) { // checkTwins reports equal names
		return nil
	}
	d := diag.Diagnostic{
		Pos:      diag.Pos{File: l.Dir + "/" + names.SkillFile},
		Also:     diag.Pos{File: o.Path + "/" + names.SkillFile},
		Evidence: scan.Visible(duplicate.FirstDifference(o.Skill.Body, l.head.Skill.Body)),
		Fix: fmt.Sprintf("absorb it into %s: propose there what is missing (assent diff ID --against %s shows the difference); "+
			"if it is for something else, say how: --differs-from %s=\"…\"", o.Name, names.ShellWord(o.Name), o.Name),
	}
	switch like.Degree {
	case duplicate.Identical:
		d.Rule, d.Severity = RuleIdentical, diag.Error
		d.Message = fmt.Sprintf("%s is %s under another name: every file is the same", l.Name, o.Path)
	case duplicate.Renamed:
		d.Rule, d.Severity = RuleRenamed, diag.Error
		d.Message = fmt.Sprintf("%s is nearly %s under another name: %d %% of the text is the same", l.Name, o.Path, percent(like))
	default:
		d.Rule, d.Severity = RuleReworded, diag.Warning
		d.Message = fmt.Sprintf("%s says much the same as %s, or has nearly its name and description: %d %% of the text is the same", l.Name, o.Path, percent(like))
	}
	d, err := answered(s, d, l, o)
	out.Add(d)
	return err
}

func percent(l duplicate.Likeness) int { return int(l.Share * 100) }

// answered lowers a finding if the change explains it. An explanation by the proposer never
// removes the finding: a reviewer has to read it.
func answered(s *purpose, d diag.Diagnostic, l loaded, o capability.Capability) (diag.Diagnostic, error) {
	switch {
	case breaks(l.head, o):
		d.Message += "; it is a breaking new version of that one, for which callers must change"
		if d.Severity == diag.Warning {
			d.Severity = diag.Note
		} else {
			d.Severity = diag.Warning
		}
	case l.head.VariantOf(o) || o.VariantOf(l.head):
		d.Severity, d.Message = diag.Warning, d.Message+"; one is for some models only, in place of the other"
	case l.head.Record.Supersedes == o.Name && !o.Status.Ended():
		d.Message += fmt.Sprintf("; it supersedes %s, which stays as it is", o.Name)
		d.Fix = fmt.Sprintf("make it a new version of %s in its own folder, or take %s out of use in the same proposal (status: deprecated); "+
			"if callers must change, keep both and write breaking: true and implements: %s", o.Name, o.Name, implemented(o))
	case o.Status.Ended():
		d.Severity, d.Message = diag.Warning, d.Message+fmt.Sprintf("; that one is %s", o.Status)
	}
	if s.proposal == nil {
		return d, nil
	}
	brought, err := s.bringsBack()
	if brought {
		d.Severity = max(d.Severity, diag.Warning) // content that was in force may be restored
	}
	for _, a := range s.proposal.Differs {
		if names.Fold(a.From) == names.Fold(o.Name) {
			d.Severity = max(d.Severity, diag.Warning)
			d.Message += "; the proposer says how it differs: " + scan.Visible(a.How)
			d.Fix = "judge whether that is so: assent diff ID --against " + names.ShellWord(o.Name)
		}
	}
	return d, err
}

// breaks reports whether a is a new version of o that callers must change for, so that
// both have to be there: another folder that implements the same capability and says that
// it comes after o. Any other new version belongs into o's own folder.
func breaks(a, o capability.Capability) bool {
	//defence:superseding-is-bounded
	return a.Record.Supersedes == o.Name && a.Record.Breaking && implemented(a) == implemented(o)
}

// implemented is the capability that c is one way to do.
func implemented(c capability.Capability) string {
	return names.Fold(cmp.Or(c.Record.Implements, c.Name))
}
