package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

func judgeCredentialSend(d *document, m *match) bool {
	text := strings.ToLower(d.text[m.start:m.end])
	if containsAny(text, "localhost", "127.0.0.1") {
		m.lower(diag.Note)
	}
	if !d.wholeProgram() && (d.placeOf(m.start) != data || d.signatureAt(m.start)) {
		return soften(d, m)
	}
	return true
}

// judgeAllSecrets blocks where the line also sends.
func judgeAllSecrets(d *document, m *match) bool {
	line := d.lineAround(m.start)
	if uploads.MatchString(d.text[line.start:line.end]) {
		m.severity, m.confidence = diag.Error, 0.9
	}
	return softenShown(d, m)
}

// sentCredentials follows key files and the whole environment into data that is sent.
// A program's own settings are not a store of others' keys. One value out of them
// counts only if the receiver has no known owner. All of them are shown to a person
// if the program, and not a command, chooses the data to send.
func sentCredentials(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if a.Kind != program.Send || staysHere(a.To.Text) || a.Data.Login {
			return match{}, false
		}
		what := strings.Join(a.Data.Names, ", ")
		if m, ok := sentMachine(d, r, a, what); ok {
			return m, true
		}
		if !a.Data.Has(program.KeyFile | program.Environment) {
			if a.Data.Has(program.Token) {
				return sentToken(r, a, what)
			}
			return sentSettings(r, a, what)
		}
		if ownService(a) {
			return match{}, false
		}
		m := r.acted(a, diag.Error, 0.85, "keys are sent to another machine: "+what)
		if a.To.Text != "" && chosenByOwner(a.To.Text) {
			m.lower(diag.Warning)
		}
		return m, true
	})
}

// keyFileOwners are files in which a tool keeps its own key, and words of the hosts of its service.
//
//nolint:gochecknoglobals // a constant that Go has no literal for.
var keyFileOwners = map[string]string{
	"credentials.tfrc.json": "terraform", "hosts.yml": "github", ".npmrc": "npmjs", ".pypirc": "pypi", ".boto": "googleapis", "application_default_credentials.json": "googleapis",
	"msal_token_cache.json": "azure", ".vault-token": "vault", ".s3cfg": "amazonaws",
}

// ownService reports whether all that is sent is the key that a tool keeps for the service it goes to.
func ownService(a *program.Act) bool {
	if a.Data.Origin&^(program.Secret|program.Fetched|program.Handed|program.Encoded) != program.KeyFile || len(a.Data.Names) == 0 {
		return false
	}
	host := destination(a.To.Text)
	for _, name := range a.Data.Names {
		if word, known := keyFileOwners[name]; !known || !hostWord(host, word) {
			return false
		}
	}
	return true
}

// sentToken judges data sent from a file in which a tool keeps its login. The data may go to an address
// where logins are exchanged, and to a host that has a word of the tool's folder in its name.
func sentToken(r *reading, a *program.Act, what string) (match, bool) {
	host := destination(a.To.Text)
	if chosenByOwner(a.To.Text) || loginAddress(a.To.Text) {
		return match{}, false
	}
	for _, name := range a.Data.Names {
		folder, _, _ := strings.Cut(name, "/")
		for _, w := range strings.FieldsFunc(strings.ToLower(folder), func(c rune) bool { return strings.ContainsRune("._- ", c) }) {
			if len(w) > 2 && w != "config" && hostWord(host, w) {
				return match{}, false
			}
		}
	}
	m := r.acted(a, diag.Warning, 0.7, "a tool's login is sent to another machine: "+what)
	if ownerless(a.To.Text) {
		m.severity, m.confidence = diag.Error, 0.85
	}
	return m, true
}

// sentMachine judges data sent from the machine's list of accounts and from files that
// the program names itself. Texts show such paths as examples of uploads, so there
// only accounts count.
func sentMachine(d *document, r *reading, a *program.Act, what string) (match, bool) {
	switch {
	case a.Data.Has(program.KeyFile | program.Token | program.Environment | program.Settings | program.Private):
		return match{}, false
	case a.Data.Has(program.Account):
		m := r.acted(a, diag.Warning, 0.7, "the machine's accounts are sent to another machine: "+what)
		if ownerless(a.To.Text) {
			m.severity, m.confidence = diag.Error, 0.85
		}
		return m, true
	case slices.Contains(a.Data.Names, program.DatabaseDump):
		// Backups go to their owner's storage by its client; a web or file server may be anybody's.
		if a.Name != "curl" && a.Name != "wget" && a.Name != "nc" && a.Name != "ncat" || chosenByOwner(a.To.Text) {
			return match{}, false
		}
		return r.acted(a, diag.Warning, 0.7, "a whole database is sent to another machine"), true
	case a.Data.Has(program.Machine) && d.wholeProgram() && !chosenByOwner(a.To.Text):
		return r.acted(a, diag.Warning, 0.6, "a fixed file of the machine or its user is sent to another machine: "+what), true
	}
	return match{}, false
}

// sentSettings judges data sent from a file of settings.
func sentSettings(r *reading, a *program.Act, what string) (match, bool) {
	m := r.acted(a, diag.Warning, 0.6, "settings that hold keys are sent to another machine: "+what)
	switch {
	case !a.Data.Has(program.Settings | program.Setting):
		return match{}, false
	case ownerless(a.To.Text), a.Data.Has(program.Settings) && (a.Name == "curl" || a.Name == "wget" || a.Name == "nc"):
		m.severity, m.confidence = diag.Error, 0.85
	case !a.Data.Has(program.Settings), loginAddress(a.To.Text):
		return match{}, false
	}
	return m, true
}
