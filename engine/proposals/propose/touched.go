package propose

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/workspace"
)

// touched summarises the targets of a set of edits, coarsely: enough to name a proposal.
type touched struct {
	capabilities []string
	areas        map[names.AreaName]int
	agents       []string
	adds         bool // a capability that is not there yet
	removes      bool // a capability's SKILL.md goes
}

func touchedBy(cur workspace.Session, edits []tree.Edit) touched {
	t := touched{areas: map[names.AreaName]int{}}
	holds := func(dir string) bool {
		for _, e := range edits {
			if e.Path == dir+"/"+names.SkillFile {
				return true
			}
		}
		ok, err := tree.Exists(cur.View, dir+"/"+names.SkillFile)
		return ok && err == nil
	}
	for _, e := range edits {
		t.areas[names.Area(e.Path)]++
		if agent, ok := names.AgentOf(e.Path); ok && !slices.Contains(t.agents, agent) {
			t.agents = append(t.agents, agent)
		}
		c, ok := names.ParseSkillPath(e.Path, holds)
		if !ok {
			continue
		}
		if !slices.Contains(t.capabilities, c.Name) {
			t.capabilities = append(t.capabilities, c.Name)
		}
		if c.Rest == names.SkillFile {
			there, _ := tree.Exists(cur.View, e.Path)
			t.adds = t.adds || !there && !e.Remove
			t.removes = t.removes || e.Remove
		}
	}
	return t
}

// kind returns the kind of such a change.
func (t touched) kind(soulEdit bool) proposal.Kind {
	switch {
	case t.areas[names.PoliciesArea] > 0:
		return proposal.Policy
	case t.areas[names.WorkflowsArea] > 0:
		return proposal.Workflow
	case t.removes:
		return proposal.Archive
	case t.adds:
		return proposal.Add
	case t.areas[names.SkillsArea] > 0:
		return proposal.Revise
	case soulEdit || t.areas[names.SoulArea] > 0:
		return proposal.Soul
	}
	return proposal.Revise
}

func (t touched) subject(p *proposal.Proposal) string {
	switch {
	case p.Soul != nil:
		return p.Soul.Agent + ": " + p.Soul.Section
	case len(t.capabilities) > 0:
		return strings.Join(t.capabilities, ", ")
	case len(t.agents) > 0:
		return strings.Join(t.agents, ", ")
	}
	return "workspace"
}
