package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// tunnelledNames follows secrets and encoded data into names that are looked up.
func tunnelledNames(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Lookup || !a.Data.Has(program.Secret|program.KeyFile|program.Settings|program.Setting|program.Environment|program.Encoded|program.Private) || !strings.Contains(a.Data.Text, ".") && a.Data.Text != "" {
			return match{}, false
		}
		return r.acted(a, diag.Error, 0.85, "a name lookup carries data out: "+strings.Join(a.Data.Names, ", ")), true
	})
}
