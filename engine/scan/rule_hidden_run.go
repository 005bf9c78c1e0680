package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// hiddenRunRule: a program is run from where nobody looks.
func hiddenRunRule() rule {
	return rule{RuleInfo: RuleInfo{"hidden-run", Code, diag.Warning, "a program is run from a hidden file in a temporary folder",
		"What a capability runs stands in the capability; a hidden file outside of it was put there by something else.",
		"Keep the program in scripts/ and run it from there."},
		check: hiddenRuns}
}

func hiddenRuns(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Run || a.Data.Has(program.Fetched) || !a.Data.Has(program.Dropped) && !hiddenPath(a.To.Text) {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.7, ""), true
	})
}
