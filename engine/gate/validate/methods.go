package validate

import (
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
)

// checkMethods reports a server that the change brings or changes without a list of its methods. It goes on working if
// assent starts it, but what models read of it is what it says at each start.
func checkMethods(s *capabilities) (diag.List, error) {
	var out diag.List
	all, err := s.load()
	for _, l := range all {
		if !l.InHead || l.head.Kind != capability.KindMCP || !l.head.Callable() || l.head.Methods != nil {
			continue
		}
		d := diag.Diagnostic{
			Rule: RuleMethods, Severity: diag.Warning, Pos: diag.Pos{File: tree.Join(l.Dir, capability.MethodsFile)},
			Fix:     "assent propose records them where the sandbox can start the server; once it is merged: assent propose --methods " + names.ShellWord(l.Name),
			Message: l.Name + " has no methods.yaml: after the merge it can change its methods and descriptions without review",
		}
		if l.head.Record.Run.Runtime == capability.MCPHTTP {
			d.Severity, d.Fix, d.Message = diag.Note, "once it is merged: assent propose --methods "+names.ShellWord(l.Name), l.Name+" has no methods.yaml, and cannot be called without it"
		}
		if !l.head.Status.Runs() {
			d.Severity = diag.Note
		}
		out.Add(d)
	}
	return out, err
}
