package policy

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

func riskCapabilities(r *riskFinder) {
	for i, c := range r.f.Capabilities {
		said, _ := r.said(i)
		r.class(classBy(r.p.Security, c, said))
		r.capability(c)
		r.cost(c)
	}
}

// capability judges the folder's content and the permissions that it asks for.
func (r *riskFinder) capability(c Capability) {
	//defence:taking-away-is-high
	if c.Op == Removed || (c.Status != c.WasStatus && c.Op != Added && retired(c.Status)) {
		r.add(High, c.Pos, "%s is taken away from those who use it", c.Name)
	}
	//defence:narrowing-is-high
	if c.Narrowed {
		r.add(High, c.Pos, "%s is taken away from missions of some models", c.Name)
	}
	//defence:standing-in-is-high
	if c.StandsIn != "" {
		r.add(High, c.Pos, "%s is linked in place of %s for some models", c.Name, c.StandsIn)
	}
	if dangerous := grave(c.SideEffects); len(dangerous) > 0 {
		r.add(High, c.Pos, "%s has the side effects %s", c.Name, strings.Join(dangerous, ", "))
	}
	limit := r.p.Security.Thresholds.Content
	for _, m := range []struct {
		is  bool
		why string
	}{
		{c.Kind != "skill", c.Name + " is not only a text: kind " + c.Kind},
		{c.Executable, c.Name + " holds code"},
		{len(c.Secrets) > 0, c.Name + " asks for secrets: " + strings.Join(c.Secrets, ", ")},
		{len(c.Hosts) > 0, c.Name + " calls " + strings.Join(c.Hosts, ", ")},
		{len(c.SideEffects) > 0, c.Name + " has side effects: " + strings.Join(c.SideEffects, ", ")},
		{len(c.Permissions) > 0, c.Name + " asks for permissions: " + strings.Join(c.Permissions, ", ")},
		{c.Op == Modified && c.CharsRemoved > 0, "text that others rely on changes in " + c.Name},
	} {
		if m.is {
			r.add(Medium, c.Pos, "%s", m.why)
		}
	}
	if c.Chars > limit {
		r.add(Medium, c.Pos, "%d new characters in %s, more than %d", c.Chars, c.Name, limit)
	}
}

// cost compares with "not at most", so that a NaN counts as too much.
func (r *riskFinder) cost(c Capability) {
	t := r.p.Security.Thresholds
	switch {
	case c.CostPerUse == 0:
	case c.Currency != "" && !strings.EqualFold(c.Currency, t.Currency):
		r.add(High, c.Pos, "%s costs money in %s, which the policy does not compare", c.Name, c.Currency)
	case c.CostPerUse < 0 || !(c.CostPerUse <= t.CostPerUse):
		r.add(High, c.Pos, "%s costs %.2f %s a use, more than %.2f", c.Name, c.CostPerUse, t.Currency, t.CostPerUse)
	}
}

func retired(status string) bool { return status == "deprecated" || status == "retired" }

// grave picks the side effects that cannot be taken back.
func grave(effects []string) []string {
	var out []string
	for _, e := range effects {
		if slices.Contains([]string{"money", "production"}, strings.ToLower(e)) {
			out = append(out, e)
		}
	}
	return out
}

// effectClass classifies by the things that a capability can reach.
func effectClass(c Capability) Class {
	switch {
	case len(grave(c.SideEffects)) > 0:
		return HighClass
	case len(c.Hosts) > 0 || len(c.Secrets) > 0 || c.Kind == "mcp":
		return MediumClass
	case c.Kind != "skill" || c.Executable || len(c.SideEffects) > 0 || len(c.Permissions) > 0:
		return LowClass
	default:
		return Safe
	}
}

// classOf returns the class of one capability by the things it can reach. Its name,
// description and category set a floor.
func classOf(s Security, c Capability) Class {
	said, _ := s.Classify(c.Name, c.Description)
	return classBy(s, c, said)
}

// classBy is classOf if the class of the name and the description is known.
func classBy(s Security, c Capability, said Class) Class {
	class := effectClass(c)
	if c.Op == Removed {
		return class // taking a dangerous thing away is not itself dangerous
	}
	if said > LowClass {
		class = max(class, said)
	}
	if s.forbids(c.Category) {
		class = ProhibitedClass
	}
	return class
}

func (s Security) forbids(category string) bool {
	return slices.ContainsFunc(s.Forbidden, func(f string) bool { return foldSlug(f) == foldSlug(category) })
}

// riskClass reads names and descriptions. It is a floor: words are cheap, so they never lower
// the result of the rules above.
func riskClass(r *riskFinder) {
	for i, c := range r.f.Capabilities {
		if c.Op == Removed {
			continue // taking a dangerous thing away is not itself dangerous
		}
		class, why := r.said(i)
		if class > LowClass {
			r.add(class.tier(), c.Pos, "%s is for %s", c.Name, why)
		}
		if r.p.Security.forbids(c.Category) {
			r.add(Prohibited, c.Pos, "%s is in the forbidden category %s", c.Name, c.Category)
		}
	}
}

// words is the class that the name and the description of a capability suggest.
type words struct {
	class Class
	why   string
}

// said classifies the capability at an index of the facts once for all rules.
func (r *riskFinder) said(i int) (Class, string) {
	for n := len(r.words); n <= i; n++ {
		class, why := r.p.Security.Classify(r.f.Capabilities[n].Name, r.f.Capabilities[n].Description)
		r.words = append(r.words, words{class, why})
	}
	return r.words[i].class, r.words[i].why
}

// Classify returns the class that a name and a description suggest, at least LowClass, and the
// matching words.
func (s Security) Classify(name, description string) (Class, string) {
	plain := plainText(name + " " + description)
	best, why := LowClass, ""
	for _, level := range []struct {
		class    Class
		patterns []Pattern
	}{{ProhibitedClass, s.Prohibited}, {HighClass, s.High}, {MediumClass, s.Medium}} {
		for _, p := range level.patterns {
			class, ok := p.classify(level.class, plain)
			if ok && class > best {
				best, why = class, p.Why
			}
		}
	}
	return best, why
}

// classify looks at a plain text.
func (p Pattern) classify(class Class, plain string) (Class, bool) {
	switch {
	case !p.Match.MatchString(plain):
		return UnknownClass, false
	case p.Unless != nil && p.Unless.MatchString(plain):
		return HighClass, true
	default:
		return class, true
	}
}

func firstMatch(patterns []Pattern, text string) (Pattern, bool) {
	plain := plainText(text)
	for _, p := range patterns {
		if p.Match.MatchString(plain) {
			return p, true
		}
	}
	return Pattern{}, false
}

// plainText returns the text that patterns match: no characters that hide words, lower case,
// single spaces. A text that can be read in two ways is there twice.
func plainText(s string) string {
	s = strings.ToValidUTF8(s, "")
	latin, _ := plaintext.Of(s, plaintext.Latin)
	plain := latin.String()
	for _, form := range []plaintext.Form{plaintext.Apart, plaintext.Together} {
		if other, differs := plaintext.Of(s, form); differs {
			plain += "\n" + other.String()
		}
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(plain), func(r rune) bool {
		return r == '-' || r == '_' || r == ' ' || r == '\n' || r == '\t' || r == '\r'
	}), " ")
}
