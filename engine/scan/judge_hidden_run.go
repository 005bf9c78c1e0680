package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

func hiddenRuns(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Run || a.Data.Has(program.Fetched) || !a.Data.Has(program.Dropped) && !hiddenPath(a.To.Text) {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.7, ""), true
	})
}
