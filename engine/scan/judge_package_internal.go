package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

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
