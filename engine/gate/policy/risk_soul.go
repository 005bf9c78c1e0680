package policy

import (
	"slices"
	"strings"
)

func riskSoul(r *riskFinder) {
	for _, edit := range r.f.Soul {
		protected := edit.Protected || r.p.Security.Protects(edit.Section)
		// The engine's own learned entry records a change that is judged anyway. No
		// such entry belongs in a protected section.
		if edit.Engine && !protected {
			continue
		}
		r.soulEdit(edit, protected)
	}
}

// soulEdit judges an edit that the engine did not make. An agent's identity changes only with
// a human's approval, so high is the least; edits of protected matter are critical.
func (r *riskFinder) soulEdit(edit SoulEdit, protected bool) {
	//defence:protected-section-is-critical
	if protected {
		r.add(Critical, edit.Pos, "the protected section %q of %s changes", edit.Section, edit.Agent)
	}
	//defence:identity-phrases-are-critical
	if edit.Identity != "" {
		r.add(Critical, edit.Pos, "the text in section %q of %s %s", edit.Section, edit.Agent, edit.Identity)
	}
	//defence:souls-need-a-human
	switch edit.Mode {
	case "add":
		r.add(Critical, edit.Pos, "the section %q of %s is new", edit.Section, edit.Agent)
	case "append":
		r.add(High, edit.Pos, "text is added to section %q of %s", edit.Section, edit.Agent)
	case "remove":
		r.add(High, edit.Pos, "the section %q of %s is removed", edit.Section, edit.Agent)
	default:
		r.add(High, edit.Pos, "the section %q of %s is replaced", edit.Section, edit.Agent)
	}
	if edit.Chars > r.p.Security.Thresholds.Content {
		r.add(Medium, edit.Pos, "%d new characters in section %q, more than %d", edit.Chars, edit.Section, r.p.Security.Thresholds.Content)
	}
	if edit.Agent != r.f.Agent {
		r.add(High, edit.Pos, "%s proposes to change %s", orUnknown(r.f.Agent), edit.Agent)
	}
}

func orUnknown(name string) string {
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

// AboutIdentity returns how a text of a SOUL.md, such as a section's name or changed lines,
// names, negates or re-scopes protected matter; empty if it does not.
func (s Security) AboutIdentity(text string) string {
	plain := plainText(text)
	for _, p := range s.Protected {
		if name := plainText(p); name != "" && strings.Contains(plain, name) {
			return "names the protected " + name
		}
	}
	if p, ok := firstMatch(s.Identity, text); ok {
		return p.Why
	}
	return ""
}

func foldSlug(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == '-' || r == '_' || r == ' '
	}), "_")
}
