package names

import (
	"strings"
)

// AreaName names the part of a workspace that a path belongs to.
type AreaName string

// The areas: the five governed folders, and OtherArea for all other paths.
const (
	SoulArea      AreaName = "soul"
	SkillsArea    AreaName = "skills"
	ProposalsArea AreaName = "proposals"
	PoliciesArea  AreaName = "policies"
	WorkflowsArea AreaName = "workflows"
	OtherArea     AreaName = "other"
)

// GovernedAreas lists the governed folders, in the order of the documentation.
func GovernedAreas() []AreaName {
	return []AreaName{SoulArea, SkillsArea, ProposalsArea, PoliciesArea, WorkflowsArea}
}

// Area returns the area of path. It compares the first folder like the most permissive file
// system, so "Skills/x" is governed too.
func Area(path string) AreaName {
	first, _, _ := strings.Cut(path, "/")
	first = foldText(first)
	for _, a := range GovernedAreas() {
		if first == string(a) {
			return a
		}
	}
	return OtherArea
}

// Governed reports whether changing path needs an attested merge.
func Governed(path string) bool { return Area(path) != OtherArea }

// Capability is the place of a path inside a capability.
type Capability struct {
	// Group is empty for a capability directly below skills/.
	Group string
	Name  string
	// Dir is the capability's folder: skills/<name> or skills/<group>/<name>.
	Dir string
	// Rest is the path inside Dir; empty for Dir itself.
	Rest string
}

// ParseSkillPath finds the capability that path belongs to. holdsSkill reports whether a folder
// has a SKILL.md. ok is false outside skills/, and if no folder at depth one or two has one. A
// SKILL.md inside another capability belongs to the outer one.
func ParseSkillPath(path string, holdsSkill func(dir string) bool) (c Capability, ok bool) {
	parts := strings.Split(path, "/")
	if parts[0] != string(SkillsArea) {
		return Capability{}, false
	}
	for depth := 2; depth <= 3 && depth <= len(parts); depth++ {
		dir := strings.Join(parts[:depth], "/")
		if !holdsSkill(dir) {
			continue
		}
		c = Capability{Name: parts[depth-1], Dir: dir, Rest: strings.Join(parts[depth:], "/")}
		if depth == 3 {
			c.Group = parts[1]
		}
		return c, true
	}
	return Capability{}, false
}

// AgentOf returns the agent to whose soul path belongs: soul/<agent>/….
func AgentOf(path string) (agent string, ok bool) {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 3 || parts[0] != string(SoulArea) || parts[1] == "" {
		return "", false
	}
	return parts[1], true
}
