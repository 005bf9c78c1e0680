package scan

import "github.com/assent-dev/assent/engine/base/diag"

// keyHuntRule: the text has its reader search a machine for keys.
func keyHuntRule() rule {
	return rule{grows: true, RuleInfo: RuleInfo{"key-hunt", Instructions, diag.Warning, "other people's keys are searched for",
		"A capability is given the one secret that it names; one that looks for more takes what nobody gave it.",
		"Name the secret in requires.secrets and stop when it is missing."},
		patterns: []pattern{{
			near: []string{"credentials", "passwords", "api keys", "tokens", "private keys", "ssh keys", "wallets", "wallet files", "secrets", "other people's", "saved logins", ".env files", "keys in", "key files", "seed phrase", "of the browser"},
			re:   said(`\b(?:look|search|hunt|scan|find|collect|gather|harvest|enumerate|list|read|extract|grab|dump|locate)\b[^.]{0,60}?\b(?:credentials|passwords|(?:api|access|private|ssh|other people['’]s|secret) keys|tokens|wallets?(?: files)?|secrets|saved logins|\.env files|key files|seed phrases?)\b[^.]{0,60}? (?:in|on|from|of|across|under|through|throughout|within) (?:the |this |your |their |any |every |all |other |user['’]s )*(?:home|browser|browsers|machine|computer|disk|system|environment|folders?|director(?:y|ies)|clipboard|memory|keychain|password manager|history|host|processes|repositories|projects|config files|user)\b`),
			in:   prose | plain | hidden | data, severity: diag.Note, confidence: 0.5, judge: judgeKeyHunt,
		}, {
			near: []string{".pem", ".key", "id_rsa", ".kdbx", "wallet.dat", ".p12", ".pfx", ".ppk", ".ovpn", ".env"},
			re:   expr(`(?i)\b(?:endswith|suffix(?:es)?|fnmatch|glob|rglob|match|filter|search|test|includes|in|name)\b[^\n]{0,80}?(?:\.pem|[^\w)\]]\.key|id_rsa|\.kdbx|wallet\.dat|\.p12|\.pfx|\.ppk|\.ovpn|\.env)\b[^\n]{0,80}`),
			in:   python | script | shell, severity: diag.Warning, confidence: 0.6, judge: judgeHuntSent,
		}}}
}

// judgeHuntSent wants a program that goes through folders and sends something: to look
// for leaked keys is what a reviewer does.
func judgeHuntSent(d *document, m *match) bool {
	return d.wholeProgram() && !d.inComment(m.start) && containsAny(d.text, "walk(", "rglob(", "glob(", "readdir", "find ", "ls-files", "iterdir(") && containsAny(d.text, "read", "open(", "cat ", "@") &&
		containsAny(d.text, "urlopen", "requests.", "httpx.", "fetch(", "https.request", "http.client", "axios", "curl ", "socket.")
}

// widely matches a search that goes beyond the project at hand.
var widely = said(`\b(?:home (?:folder|directory)|browsers?|machine|computer|disk|clipboard|keychain|password manager|other people|whole system|entire|processes|each of them|every)\b`)

// judgeKeyHunt: to look for leaked keys in a project is what a reviewer does.
func judgeKeyHunt(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.example || s.quoted || s.negated && !s.concealed {
		return false
	}
	text := d.sentence(m.start)
	if s.concealed || widely.MatchString(text) && !s.discussed {
		m.severity, m.confidence = diag.Warning, 0.6
	}
	if outsideAddress(d.sentences(m.start)) != "" && !s.discussed {
		m.severity, m.confidence = diag.Warning, 0.8
	}
	return true
}
