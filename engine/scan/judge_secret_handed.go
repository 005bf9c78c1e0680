package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// handedSecrets looks at keys whose owner is known and is not named anywhere in
// the command. Keys of language models and of code hosts are left out: any
// server may need those.
func handedSecrets(_ *machine, d *document) []match {
	var found []match
	for i := range d.readings() {
		r := &d.readings()[i]
		if !r.server || len(r.Acts) == 0 {
			continue
		}
		line := strings.ToLower(commandText(&r.Acts[0]))
		for _, name := range secretsOf(r.env) {
			service, known := keyService(name)
			if !known || commonKey(service) || namedIn(line, name, service) || strings.Contains(line, "./") || !strings.ContainsAny(line, " ") {
				continue
			}
			found = append(found, r.acted(&r.Acts[0], diag.Warning, 0.6, "the key "+name+" is handed to a program that it does not belong to"))
			break
		}
	}
	return found
}

func commandText(a *program.Act) string {
	words := []string{a.Name}
	for _, v := range a.Args {
		words = append(words, v.Text)
	}
	return strings.Join(words, " ")
}

func commonKey(service string) bool {
	switch service {
	case "OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI", "HF", "HUGGINGFACE", "GITHUB", "GH", "GITLAB", "DATABASE", "DB", "POSTGRES", "MYSQL", "REDIS", "SESSION", "MONGODB":
		return true
	}
	return false
}

// namedIn reports whether a command names the owner of a key.
func namedIn(line, name, service string) bool {
	for _, w := range services[service] {
		if strings.Contains(line, w) {
			return true
		}
	}
	for _, w := range strings.Split(strings.ToLower(name), "_") {
		if len(w) > 2 && !genericWord(w) && strings.Contains(line, w) {
			return true
		}
	}
	return false
}
