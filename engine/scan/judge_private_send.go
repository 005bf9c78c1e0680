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

var (
	// fileSent matches an option of curl that sends a file or the value of a variable.
	fileSent = expr(`\s(?:-F|--form|-T|--upload-file|--data-binary|-d|--data)[ =]?["']?[^\s"']{0,30}[@$][^\s"']*|\s-T\s*["']?\$`)
	// loggedIn matches a login of the user at the receiver.
	loggedIn = expr(`(?i)authorization|bearer|\s(?:-u|--user|-n|--netrc\S*|--cert|--oauth2-bearer)\s|api-?_?key|token|signature|\$\{?[A-Z_]*(?:KEY|TOKEN|SECRET|PASS)`)
)

// judgeEveryFile keeps a loop that sends each file of a folder to a fixed machine without a login:
// the receiver does not know the sender as a customer.
func judgeEveryFile(d *document, m *match) bool {
	command := m.group(d, 2)
	sent := fileSent.FindStringIndex(command)
	if sent == nil || !containsAny(command, "$"+m.group(d, 1), "${"+m.group(d, 1)) || loggedIn.MatchString(command) {
		return false
	}
	at := urlHost.FindStringIndex(command)
	if at == nil {
		return false
	}
	address := command[at[0]:at[1]]
	host := destination(address)
	if staysHere(address) || chosenByOwner(host) || isPlaceholder(host) || reservedHost(host) {
		return false
	}
	return softenShown(d, m)
}
