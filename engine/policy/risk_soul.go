package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// capabilitySection finds the sections that list what an agent can do (seed:
// "capability" or "skill" in the section's name).
var capabilitySection = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`capabilit|skill`) })

func riskSoul(r *riskFinder) {
	for _, edit := range r.f.Soul {
		protected := edit.Protected || r.p.Security.Protects(edit.Section)
		// The engine's own learned entry is bookkeeping of what was judged anyway,
		// but nobody's bookkeeping stands in a protected section.
		if edit.Engine && !protected {
			continue
		}
		r.soulEdit(edit, protected)
	}
}

func (r *riskFinder) soulEdit(edit SoulEdit, protected bool) {
	switch {
	//defence:protected-section-is-critical
	case protected:
		r.add(Critical, edit.Pos, "the protected section %q of %s changes", edit.Section, edit.Agent)
	case edit.Mode == "add" || edit.Mode == "append":
		if capabilitySection().MatchString(edit.Section) {
			r.add(Medium, edit.Pos, "what %s can do changes in section %q", edit.Agent, edit.Section)
		}
	case edit.Mode == "remove":
		r.add(High, edit.Pos, "the section %q of %s is removed", edit.Section, edit.Agent)
	default:
		r.add(High, edit.Pos, "the section %q of %s is replaced", edit.Section, edit.Agent)
	}
	if edit.Chars > r.p.Security.Thresholds.Content {
		r.add(Medium, edit.Pos, "%d new characters in section %q, more than %d", edit.Chars, edit.Section, r.p.Security.Thresholds.Content)
	}
	if edit.Agent != r.f.Agent {
		r.add(High, edit.Pos, "%s proposes to change %s", orSomebody(r.f.Agent), edit.Agent)
	}
}

func orSomebody(name string) string {
	if name == "" {
		return "somebody unknown"
	}
	return name
}

// Protects reports whether a section's slug is protected. Spelling variants of a
// slug are the same: core-truths, Core Truths and core_truths.
func (s Security) Protects(section string) bool {
	return slices.ContainsFunc(s.Protected, func(p string) bool { return foldSlug(p) == foldSlug(section) })
}

func foldSlug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == '-' || r == '_' || r == ' '
	}), "_")
}
