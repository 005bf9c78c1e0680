package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// secretHarvestRule: keys of unrelated services are gathered in one place.
func secretHarvestRule() rule {
	return rule{RuleInfo: RuleInfo{"secret-harvest", Code, diag.Warning, "keys of unrelated services are gathered into one text",
		"A program uses each key with its own service; only a thief needs them together.",
		"Read each key where it is used."},
		patterns: []pattern{{
			near: []string{"env", "export -p"},
			re:   expr(`(?im)(?:^|[\s;&|({])(?:env|printenv|export\s+-p)\s*\|\s*(?:e?grep|rg|awk|sed)\s+(?:-\w+\s+)*('[^'\n]*'|"[^"\n]*"|[^\s|>]+)\s*>>?\s*[^\s&]`),
			in:   shellLike, severity: diag.Warning, confidence: 0.6, judge: func(d *document, m *match) bool {
				if !keyPrefix.MatchString(m.group(d, 1)) {
					return false
				}
				m.message = "keys are picked from the environment and written to a file"
				return softenShown(d, m)
			},
		}},
		check: harvestedSecrets}
}

// keyPrefix matches what names of keys are looked for by.
var keyPrefix = expr(`(?i)AWS|AZURE|ARM_|GOOGLE|GCP|VAULT|SECRET|TOKEN|PASSW|_KEY|CREDENTIAL`)

func harvestedSecrets(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Call || a.Name != "json.dumps" && a.Name != "JSON.stringify" && a.Name != "pickle.dumps" && a.Name != "yaml.dump" && a.Name != "json.dump" {
			return match{}, false
		}
		owners := map[string]bool{}
		var names []string
		for _, v := range a.Args {
			for _, name := range v.Names {
				if v.Has(program.Secret) && program.SecretName(name) {
					service, _ := keyService(name)
					owners[service] = true
					names = append(names, name)
				}
			}
			if v.Has(program.Environment) {
				return r.acted(a, diag.Note, 0.4, "the whole environment is made into one text"), true
			}
		}
		if len(owners) < 2 {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.6, "keys of unrelated services are gathered: "+strings.Join(names, ", ")), true
	})
}
