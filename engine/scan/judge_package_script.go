package scan

import (
	"path"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

var installScript = expr(`"(?:pre|post)?install"\s*:\s*"((?:[^"\\\n]|\\.)*)"`)

// installScripts mentions any install script, and escalates one that holds a
// program, fetches, or runs a shell.
func installScripts(_ *machine, d *document) []match {
	var found []match
	switch path.Base(d.path) {
	case "package.json":
		for _, loc := range installScript.FindAllStringSubmatchIndex(d.text, 10) {
			m := match{start: loc[0], end: loc[1], severity: diag.Note, confidence: 0.4}
			if containsAny(d.text[loc[2]:loc[3]], "node -e", "curl", "wget", "base64", "http", "sh -c", "python", "powershell", "eval", "| sh") {
				m.severity, m.confidence = diag.Warning, 0.8
			}
			found = append(found, m)
		}
	case "setup.py":
		if !containsAny(d.text, "cmdclass", "install.run", "develop") {
			return nil
		}
		found = eachAct(d, func(r *reading, a *program.Act) (match, bool) {
			return r.acted(a, diag.Warning, 0.7, ""), a.Kind == program.Run || a.Kind == program.Send || a.Kind == program.Call && strings.Contains(a.Name, "urlopen")
		})
	}
	return found
}
