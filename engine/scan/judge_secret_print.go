package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// printedSecrets looks at configurations, and at addresses made of secrets
// anywhere: a person who follows such a link discloses the secret.
func printedSecrets(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Print || !a.Data.Has(program.Secret|program.Environment|program.KeyFile|program.Settings) || a.Name == "echo" && a.Input.Origin != 0 {
			return match{}, false
		}
		link := strings.Contains(a.Data.Text, "://") && a.Data.Has(program.Encoded)
		if r.own && !link || link && r.own && staysHere(a.Data.Text) {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.6, "a secret is written to the output: "+strings.Join(a.Data.Names, ", ")), true
	})
}
