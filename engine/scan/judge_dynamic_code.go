package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// handedCode finds code that the caller of a program hands over and the program runs.
func handedCode(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		// In a line of a text, the pipe in front of a program is its caller.
		if a.Kind != program.Run || !a.Data.Has(program.Handed) || a.Nested && !d.wholeProgram() {
			return match{}, false
		}
		switch a.Name {
		case "exec", "eval", "execfile", "Function", "vm.runInThisContext", "vm.runInNewContext", "vm.runInContext", "vm.Script":
			return r.acted(a, diag.Warning, 0.7, "code that the caller hands over is run by "+a.Name), true
		}
		return match{}, false
	})
}

// judgeExecutable keeps calls only: a text may name a function to look for.
func judgeExecutable(d *document, m *match) bool {
	called := strings.HasSuffix(d.text[m.start:m.end], "(") || strings.HasPrefix(d.text[m.end:], "(")
	return (called || d.wholeProgram()) && inCode(d, m)
}
