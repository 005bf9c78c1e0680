package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// keyPrefix matches the parts of names by which keys are looked for.
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

// judgeHarvest keeps only searches for names of keys.
func judgeHarvest(d *document, m *match) bool {
	if !keyPrefix.MatchString(m.group(d, 1)) {
		return false
	}
	return softenShown(d, m)
}
