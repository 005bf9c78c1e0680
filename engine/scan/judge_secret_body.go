package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/scan/program"
)

// secretBodies follows a secret from the environment into a request. These are certain:
// a host without a known owner, keys of several services together, a key that was
// encoded first, and a key of a well-known service that goes elsewhere. Any other key
// may have a host that shares no word with its name.
func secretBodies(_ *machine, d *document) []match {
	return eachAct(d, func(r *reading, a *program.Act) (match, bool) {
		if m, ok := labelledSecret(r, a); ok {
			return m, true
		}
		if a.Kind != program.Send || !a.Data.Has(program.Secret) || a.Data.Has(program.KeyFile|program.Environment|program.Settings) || staysHere(a.To.Text) || chosenByOwner(a.To.Text) {
			return match{}, false
		}
		host := destination(a.To.Text)
		several := unrelated(a.Data.Names, host)
		for _, name := range a.Data.Names {
			if !program.SecretName(name) || belongs(name, host) || loginAddress(a.To.Text) {
				continue
			}
			service, wellKnown := keyService(name)
			message := "the secret " + name + " is sent to " + Visible(host)
			switch {
			case a.Data.Login && wellKnown:
				return r.acted(a, diag.Note, 0.4, message), true
			case a.Data.Login:
			case ownerless(a.To.Text), several, wellKnown && a.Data.Has(program.Encoded), wellKnown && len(services[service]) > 0 && !commonKey(service):
				return r.acted(a, diag.Error, 0.8, message), true
			case keyInAddress.MatchString(a.To.Text):
				return r.acted(a, diag.Note, 0.4, message), true
			default:
				return r.acted(a, diag.Warning, 0.5, message), true
			}
		}
		return match{}, false
	})
}

// keyInAddress matches an address that carries a key where interfaces ask for
// theirs: as a parameter called key or token, or as Telegram's bots do.
var keyInAddress = expr(`(?i)(?:[?&](?:api_?key|key|token|access_?token|appid|apiid)=|/bot)\$\{`)

// unrelated reports whether names are keys of two services or more, none of
// which host is known to be.
func unrelated(names []string, host string) bool {
	owners := map[string]bool{}
	for _, name := range names {
		if service, known := keyService(name); known && program.SecretName(name) && !belongs(name, host) {
			owners[service] = true
		}
	}
	return len(owners) > 1
}

// loginAddress reports whether an address is where keys are exchanged for
// tokens, which takes them in the body by protocol (RFC 6749).
func loginAddress(address string) bool {
	return containsAny(strings.ToLower(address), "oauth", "/token", "/login", "/signin", "/auth/", "/v1/auth")
}

// keyField matches a variable that is sent under a key's name.
var keyField = expr(`(?i)\b(?:credentials?|secrets?|private_?key|api_?key|mnemonic|seed_?phrase|access_?key)["']?\s*[=:]\s*["']?(?:\$\{|\x{2026})`)

// labelledSecret finds a command's body that says itself that it holds a key.
func labelledSecret(r *reading, a *program.Act) (match, bool) {
	if a.Kind != program.Send || a.Name != "curl" && a.Name != "wget" || a.Data.Origin != 0 || staysHere(a.To.Text) || chosenByOwner(a.To.Text) || loginAddress(a.To.Text) || !keyField.MatchString(a.Data.Text) {
		return match{}, false
	}
	return r.acted(a, diag.Warning, 0.5, "a key is sent to "+Visible(destination(a.To.Text))), true
}
