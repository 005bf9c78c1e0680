package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

func misspeltPackages(_ *machine, d *document) []match {
	var alike strongest
	for _, w := range packages(d) {
		near := imitatedPackage(w)
		if near != "" {
			alike.add(d.inContext(w.r.acted(w.act, diag.Warning, 0.7, "the package "+Visible(w.name)+" is almost "+near)))
		}
	}
	found := alike.found
	if path.Base(d.path) == "SKILL.md" {
		found = append(found, misspeltSkill(d)...)
	}
	found = append(found, misspeltModules(d)...)
	return append(found, misspeltImports(d)...)
}

// mostImports bounds the imports of a document that are compared.
const mostImports = 2000

// misspeltModules reads the imports of programs. A file or folder of the capability
// itself may have any name. No module of a standard library is one slip away from a
// popular package.
func misspeltModules(d *document) []match {
	var alike strongest
	left := mostImports
	for _, r := range d.readings() {
		for _, in := range r.Imports[:min(left, len(r.Imports))] {
			left--
			system, name := moduleOf(in)
			near := imitated(system, name)
			if near == "" || d.beside != nil && d.beside(name) {
				continue
			}
			s := r.span(in.At, in.End)
			alike.add(d.inContext(match{start: s.start, end: max(s.start, s.end), severity: diag.Warning, confidence: 0.7, message: "the module " + Visible(name) + " is almost " + near}))
		}
	}
	return alike.found
}

// moduleOf returns the package of a module, or the scope that owns the package: a scope
// names its packages freely. The name is "" for a path or an alias.
func moduleOf(in program.Import) (system, name string) {
	if in.Language == program.Python {
		name, _, _ = strings.Cut(in.Name, ".")
		return "pypi", strings.ToLower(name)
	}
	first, _, _ := strings.Cut(strings.ToLower(in.Name), "/")
	if scope, ok := strings.CutPrefix(first, "@"); ok {
		return "scope", scope
	}
	if strings.ContainsAny(first, ":~#") {
		return "npm", ""
	}
	return "npm", first
}

func imitatedPackage(w wanted) string {
	name := w.name
	if scope, rest, ok := strings.Cut(strings.TrimPrefix(name, "@"), "/"); ok && w.system == "npm" {
		if near := imitated("scope", scope); near != "" {
			return "@" + near
		}
		name = rest
	}
	if near := imitated(w.system, name); near != "" {
		return near
	}
	if w.runs {
		return misspelt(name)
	}
	return ""
}

var skillName = expr(`(?m)^name:[ \t]*["']?([A-Za-z0-9][\w.-]{3,60})`)

// misspeltSkill compares the capability's own name with well-known ones.
func misspeltSkill(d *document) []match {
	loc := skillName.FindStringSubmatchIndex(d.text[:min(len(d.text), 2000)])
	if loc == nil {
		return nil
	}
	name := d.text[loc[2]:loc[3]]
	near := imitated("skill", name)
	if near == "" {
		near = misspelt(name)
	}
	if near == "" {
		return nil
	}
	return []match{{start: loc[2], end: loc[3], severity: diag.Warning, confidence: 0.6, message: "the capability's name " + Visible(name) + " is almost " + near}}
}

var requirement = expr(`(?m)^([A-Za-z0-9][\w.-]{3,60})(?:\[[^\]\n]*\])?\s*(?:[=<>~!]=?[^\n]*)?$|^\s+"(@?[\w./-]{4,80})"\s*:\s*"(?:[\^~]?\d|latest|\*)`)

// misspeltImports reads lists of dependencies.
func misspeltImports(d *document) []match {
	var system string
	switch base := strings.ToLower(path.Base(d.path)); {
	case base == "package.json":
		system = "npm"
	case strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt"):
		system = "pypi"
	default:
		return nil
	}
	var found []match
	for _, loc := range requirement.FindAllStringSubmatchIndex(d.text, 500) {
		for g := 2; g < 6; g += 2 {
			if loc[g] < 0 || (g == 2) != (system == "pypi") {
				continue
			}
			if near := imitatedPackage(wanted{system: system, name: strings.ToLower(d.text[loc[g]:loc[g+1]])}); near != "" {
				found = append(found, match{start: loc[g], end: loc[g+1], severity: diag.Warning, confidence: 0.7, message: "the package " + d.text[loc[g]:loc[g+1]] + " is almost " + near})
			}
		}
	}
	return found
}
