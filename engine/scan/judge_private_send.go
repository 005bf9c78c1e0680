package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

func sentPrivacy(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Send && a.Kind != program.Lookup || !a.Data.Has(program.Private) || a.Data.Has(program.KeyFile|program.Settings) || staysHere(a.To.Text) {
			return match{}, false
		}
		m := r.acted(a, diag.Error, 0.8, "private data is sent to another machine: "+strings.Join(a.Data.Names, ", "))
		if chosenByOwner(a.To.Text) || containsAny(strings.Join(a.Data.Names, " "), "memory.md", "MEMORY.md", "SOUL.md", "soul.md", "USER.md", "IDENTITY.md", "clipboard", "screen") {
			m.lower(diag.Warning)
		}
		return m, true
	})
}
