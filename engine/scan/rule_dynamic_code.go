package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// dynamicCodeRule: code is built from data at run time.
func dynamicCodeRule() rule {
	return rule{RuleInfo: RuleInfo{"dynamic-code", Code, diag.Warning, "code is built from data at run time",
		"What eval and exec run is decided by their input, which may be another's.",
		"Parse the data instead (json, ast.literal_eval), or dispatch over a fixed table."},
		patterns: []pattern{{
			near: []string{"exec(", "exec (", "eval(", "eval ("},
			re:   expr(`(?:^|[^.\w])(?:eval|exec)\s*\(\s*[A-Za-z_f]`),
			in:   python, severity: diag.Note, confidence: 0.4, judge: inCode,
		}, {
			near: []string{"eval(", "eval (", "function(", "function ("},
			re:   expr(`(?:^|[^.\w])(?:eval|new\s+Function)\s*\(\s*[A-Za-z_` + "`" + `]`),
			in:   script, severity: diag.Note, confidence: 0.4, judge: inCode,
		}, {
			near: []string{"scriptblock]::create", "invokescript("},
			re:   expr(`(?i)\[(?:System\.Management\.Automation\.)?ScriptBlock\]::Create\(\s*\$[^\n]*|\bInvokeCommand\.InvokeScript\(\s*\$[^\n]*`),
			in:   code | prose, severity: diag.Warning, confidence: 0.6, judge: softenShown,
		}, {
			near: []string{"mprotect", "virtualalloc", "virtualprotect", "prot_exec", "rtlmovememory", "createremotethread"},
			re:   expr(`(?i)\bmprotect\s*\(|\bVirtual(?:Alloc|Protect)(?:Ex)?\b|\bPROT_EXEC\b|\bRtlMoveMemory\b|\bCreateRemoteThread\b`),
			in:   code, severity: diag.Warning, confidence: 0.7, judge: func(d *document, m *match) bool {
				m.message = "memory is made executable"
				// A text may name what to look for; a program calls it.
				called := strings.HasSuffix(d.text[m.start:m.end], "(") || strings.HasPrefix(d.text[m.end:], "(")
				return (called || d.wholeProgram()) && inCode(d, m)
			},
		}},
		check: handedCode}
}

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
