package validate

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// maxApplying is how many skills are told of one repair; the others are counted.
const maxApplying = 10

// checkSuperseded names the skills that apply to what a change supersedes. It informs:
// package followup asks about each once the change is in force.
func checkSuperseded(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	if err != nil {
		return out, err
	}
	for _, l := range all {
		if !l.inHead || !takesOver(l.head) || l.inBase && takesOver(l.base) && l.base.Record.Supersedes == l.head.Record.Supersedes {
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

// applying are the skills that apply to what c supersedes, and not to c, as they would
// stand in the head.
func (s *capabilities) applying(c capability.Capability) ([]capability.Capability, error) {
	folders, err := capability.Applying(s.Base, c.Record.Supersedes)
	if err != nil {
		return nil, fmt.Errorf("look for what applies to %s: %w", c.Record.Supersedes, err)
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
			return nil, err //nolint:wrapcheck // Glance says what was read
		}
		old, also := skill.Record.Applies(c.Record.Supersedes), skill.Record.Applies(c.Name)
		if old && !also && skill.Status != capability.Deprecated && skill.Status != capability.Retired {
			out = append(out, skill)
		}
	}
	return out, nil
}
