package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// packageInternalRule: a name that says it is a company's own is taken from a
// public registry.
func packageInternalRule() rule {
	return rule{RuleInfo: RuleInfo{"package-internal", Packages, diag.Warning, "a package that says it is internal is fetched from the public registry",
		"Whoever registers a company's internal name in public gets to run what its machines install.",
		"Name the private registry for the scope, or use a public package."},
		check: internalPackages}
}

func internalPackages(_ *machine, d *document) []match {
	var found strongest
	for _, w := range packages(d) {
		scope, _, scoped := strings.Cut(strings.TrimPrefix(w.name, "@"), "/")
		if !scoped && w.system == "npm" {
			scope = ""
		}
		if w.system == "go" || strings.Contains(commandText(w.act), "--registry") || strings.Contains(commandText(w.act), "index-url") {
			continue
		}
		for _, word := range strings.FieldsFunc(scope, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
			switch word {
			case "internal", "corp", "private", "mycorp", "mycompany", "intranet", "inhouse":
				found.add(d.inContext(w.r.acted(w.act, diag.Warning, 0.6, "the package "+Visible(w.name)+" says that it is internal")))
			}
		}
	}
	return found.found
}
