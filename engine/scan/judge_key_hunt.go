package scan

import "github.com/assent-dev/assent/engine/base/diag"

// judgeHuntSent keeps matches in a program that goes through folders and sends something. A
// reviewer looks for leaked keys without sending them.
func judgeHuntSent(d *document, m *match) bool {
	return d.wholeProgram() && !d.inComment(m.start) && containsAny(d.text, "walk(", "rglob(", "glob(", "readdir", "find ", "ls-files", "iterdir(") && containsAny(d.text, "read", "open(", "cat ", "@") &&
		containsAny(d.text, "urlopen", "requests.", "httpx.", "fetch(", "https.request", "http.client", "axios", "curl ", "socket.")
}

// widely matches a search that goes beyond the project at hand.
var widely = said(`\b(?:home (?:folder|directory)|browsers?|machine|computer|disk|clipboard|keychain|password manager|other people|whole system|entire|processes|each of them|every)\b`)

// dumpHolds matches a description of a dump of memory, not an order to dump.
var dumpHolds = said(`^(?:dump|list|find|extract)s? (?:may |can |might |will |often )?(?:holds?|contains?|has|have|includes?|shows?)\b`)

// judgeKeyHunt raises searches for keys beyond the project at hand: within it, reviewers search too.
func judgeKeyHunt(d *document, m *match) bool {
	s := speechAt(d, m)
	if dumpHolds.MatchString(d.text[m.start:m.end]) {
		return false
	}
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
