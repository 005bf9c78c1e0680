package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// decodedRuns follows decoded data to the act that runs it.
func decodedRuns(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind == program.Call && loadsCode(a.Name) && len(a.Args) > 0 && a.Args[0].Known && len(a.Args[0].Text) >= minBlob {
			return r.acted(a, diag.Error, 0.85, "compiled code or objects out of a literal are loaded by "+Visible(a.Name)), true
		}
		if a.Kind == program.Call && (loadsCode(a.Name) || a.Name == "pickle.load" || a.Name == "dill.load" || a.Name == "joblib.load") && len(a.Args) > 0 && a.Args[0].Has(program.Fetched) {
			return r.acted(a, diag.Warning, 0.7, "objects that can run code are loaded from another machine by "+Visible(a.Name)), true
		}
		if a.Kind != program.Run || !a.Data.Has(program.Decoded) {
			return match{}, false
		}
		m := r.acted(a, diag.Error, 0.85, "decoded data is run by "+Visible(a.Name))
		switch line := d.lineAround(m.start); {
		case a.Data.Known:
			m.evidence = "decoded: " + a.Data.Text
		case !d.wholeProgram() && len(a.Data.Names) == 0 && quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start):
			// A text that names the end of a pipe, and nothing that goes into it, may tell of it.
			m.lower(diag.Warning)
		}
		return m, true
	})
}

// loadsCode reports whether a function makes code, or objects that run code, from
// unreadable bytes.
func loadsCode(name string) bool {
	switch name {
	case "marshal.loads", "pickle.loads", "dill.loads", "cloudpickle.loads", "jsonpickle.decode":
		return true
	}
	return false
}
