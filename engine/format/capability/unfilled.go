package capability

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// placeholders are the sentences of the templates that the author must replace.
var placeholders = []string{
	"State what the agent knows after reading this that it did not know before.",
	"- Name the situations, and the ones that look alike but are not meant.",
	"1. Write the steps as an experienced colleague would explain them.",
	"Say how the agent can tell that it has succeeded.",
	`**Not implemented yet.** It checks its input and then answers "not implemented".`,
}

// situations ends the description in a template.
const situations = "Use when the situations that call for it are named here."

// IsTemplateDescription reports whether a description is still that of a template.
func IsTemplateDescription(description string) bool {
	return strings.HasSuffix(description, situations)
}

// unfilled warns about a SKILL.md that still has placeholders.
func (s Skill) unfilled(file string, out *diag.List) {
	const fix = "write it, or leave the section out"
	if IsTemplateDescription(s.Description) {
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
