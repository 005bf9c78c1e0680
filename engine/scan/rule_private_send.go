package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// privateSendRule: what a person said, typed or copied is sent away.
func privateSendRule() rule {
	return rule{RuleInfo: RuleInfo{"private-send", Code, diag.Error, "what a person said, typed or copied is sent to another machine",
		"Conversations, shell histories, clipboards and screens hold whatever a person dealt with, keys included.",
		"Send the one text that the person asked to be sent."},
		patterns: []pattern{{
			near: []string{"document.cookie", "localstorage", "sessionstorage"},
			re:   expr(`(?is)\b(?:fetch|sendBeacon|axios|post|open|src\s*=)[^;]{0,40}?["'` + "`" + `](https?:)?//[^;]{0,200}?(?:document\.cookie|JSON\.stringify\(\s*(?:window\.)?(?:localStorage|sessionStorage)\s*\))`),
			in:   anywhere, severity: diag.Error, confidence: 0.8, judge: softenShown,
		}},
		check: sentPrivacy}
}

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
