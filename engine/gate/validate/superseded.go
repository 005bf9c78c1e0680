package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// maxApplying bounds how many skills a finding names; the others are counted.
const maxApplying = 10

// checkSuperseded names the skills that apply to a capability which the change supersedes. It
// informs only: package followup requests a change of each once this one is in force.
func checkSuperseded(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.InHead || !takesOver(l.head) || l.InBase && takesOver(l.base) && l.base.Record.Supersedes == l.head.Record.Supersedes {
			continue
		}
		skills, err := s.applying(l.head)
		if err != nil {
			return out, err
		}
		pos := l.head.RecordPos("supersedes")
		for _, c := range skills[:min(len(skills), maxApplying)] {
			out.Add(diag.Diagnostic{Rule: RuleSuperseded, Severity: diag.Note, Pos: pos, Also: diag.Pos{File: tree.Join(c.Path, capability.RecordFile)},
				Fix:     fmt.Sprintf("nothing has to be done here; a skill that applies to %s as well names it in applies_to", l.Name),
				Message: fmt.Sprintf("%s supersedes %s, to which the skill %s applies: once this is in force, a proposal asks whether to keep, archive or revise that", l.Name, l.head.Record.Supersedes, c.Name)})
		}
		if more := len(skills) - maxApplying; more > 0 {
			out.Notef(RuleSuperseded, pos, "", "and %d more skills apply to %s", more, l.head.Record.Supersedes)
		}
	}
	return out, nil
}

// takesOver reports whether a tool is there to be called in place of another.
func takesOver(c capability.Capability) bool {
	return (c.Kind == capability.KindTool || c.Kind == capability.KindMCP) && c.Status == capability.Active && !c.SpecOnly && c.Record.Supersedes != ""
}

// applying returns the skills that apply to the capability superseded by c and not to c, as
// they would be in the head.
func (s *capabilities) applying(c capability.Capability) ([]capability.Capability, error) {
	folders, err := capability.Applying(s.Base, c.Record.Supersedes)
	if err != nil {
		return nil, fmt.Errorf("look for skills that apply to %s: %w", c.Record.Supersedes, err)
	}
	var out []capability.Capability
	for _, f := range folders {
		there, err := tree.Exists(s.Head, f.Path)
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", f.Path, err)
		}
		if !there {
			continue
		}
		skill, _, err := capability.Glance(s.Head, f)
		if err != nil {
			return nil, err //nolint:wrapcheck // Glance names the file
		}
		old, also := skill.Record.Applies(c.Record.Supersedes), skill.Record.Applies(c.Name)
		if old && !also && skill.Status != capability.Deprecated && skill.Status != capability.Retired {
			out = append(out, skill)
		}
	}
	return out, nil
}
