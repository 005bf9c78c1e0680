package capability

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// placeholders are the sentences of the templates in whose place their reader is to
// write something.
var placeholders = []string{
	"State what the agent knows after reading this that it did not know before.",
	"- Name the situations, and the ones that look alike but are not meant.",
	"1. Write the steps as an experienced colleague would explain them.",
	"Say how the agent can tell that it has succeeded.",
	`**Not implemented yet.** It checks its input and then answers "not implemented".`,
}

// situations ends the description that a template begins with.
const situations = "Use when the situations that call for it are named here."

// Untold reports whether a description is still a template's, which names no situation.
func Untold(description string) bool { return strings.HasSuffix(description, situations) }

// unfilled warns of a SKILL.md that still says what its author was to write.
func (s Skill) unfilled(file string, out *diag.List) {
	const fix = "write it, or leave the section out"
	if Untold(s.Description) {
		out.Warnf(RuleUnfilled, diag.Pos{File: file, Line: 1}, fix, "the description is still the template's")
	}
	line := s.BodyLine
	for text := range strings.Lines(s.Body) {
		for _, p := range placeholders {
			if strings.TrimSpace(text) == p {
				out.Warnf(RuleUnfilled, diag.Pos{File: file, Line: line}, fix, "this is still what the template says: %q", p)
			}
		}
		line++
	}
}
