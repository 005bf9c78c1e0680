package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// sentEncoded looks at shell pipelines only: in programs, formats ask for base64.
func sentEncoded(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Send || (a.Name != "curl" && a.Name != "wget" && a.Name != "nc" && a.Name != "ncat") || !a.Data.Has(program.Encoded|program.Dropped) || a.Data.Has(program.KeyFile|program.Settings|program.Environment|program.Secret|program.Private) || staysHere(a.To.Text) {
			return match{}, false
		}
		if a.Data.Text != "" {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.5, ""), true
	})
}
