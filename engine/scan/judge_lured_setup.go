package scan

import (
	"github.com/assent-dev/assent/engine/base/diag"
)

var (
	// needed matches words that make a setup a condition.
	needed = said(`\b(?:must|required?|requires|requirement|needs?|needed|mandatory|necessary|prerequisites?|(?:will|do|does|can) ?not (?:work|function|run|start)|won['’]t (?:work|function|run)|without (?:it|this|that|\w+ installed)|before (?:using|you|continuing|proceeding|first use|the first|this skill|anything)|not (?:yet )?installed|is missing|first)\b`)
	// fetched matches words for getting a program.
	fetched = said(`\b(?:download|install|set up|setup|get (?:it|the|them)|grab)\b`)
	// byHand matches starting it by hand.
	byHand = said(`\b(?:terminal|powershell|command prompt|executable|installer|\.exe|\.dmg|\.pkg|\.msi|unpack|unzip|extract|double-click|launch|run (?:it|the (?:file|setup|binary|program|installer|script|code|command))|execute (?:it|the|this)|start (?:it|the (?:file|setup|program))|setup\.\w+|copy the (?:code|command|script|line)|paste)\b`)
)

// around returns the paragraphs near m.
func around(d *document, m *match) string {
	return d.text[max(0, m.start-2*before):min(len(d.text), m.end+before)]
}

// judgeShared blocks a share, paste or short link that something must be fetched
// from and started by hand.
func judgeShared(d *document, m *match) bool {
	text := around(d, m)
	if !needed.MatchString(text) || !fetched.MatchString(text) && !byHand.MatchString(text) {
		return false
	}
	if byHand.MatchString(text) {
		m.severity, m.confidence = diag.Error, 0.85
	} else if !containsAny(text, "CLI", "agent", "helper", "driver", "tool", "utility", "program") {
		return false
	}
	return dropNegated(d, m)
}

// judgeFree escalates a page on a free host that something must be fetched from.
func judgeFree(d *document, m *match) bool {
	text := d.sentences(m.start)
	near := around(d, m)
	if !fetched.MatchString(text) || !needed.MatchString(near) {
		return false
	}
	if byHand.MatchString(text) || absolute.MatchString(near) {
		m.severity, m.confidence = diag.Error, 0.75
	}
	return dropNegated(d, m)
}

// absolute matches the threat that nothing works without it.
var absolute = said(`\b(?:none of (?:the|its)|nothing works|(?:will|do|does|can) ?not (?:work|function|run) (?:without|until|unless)|won['’]t (?:work|function) (?:without|until|unless)|without \w+ installed|do not (?:attempt|continue|proceed)|before (?:continuing|proceeding))\b`)

// judgePasted makes a warning of a command that the text around it does not call
// necessary.
func judgePasted(d *document, m *match) bool {
	if !needed.MatchString(around(d, m)) {
		m.lower(diag.Warning)
	}
	return dropNegated(d, m)
}

func judgeFollowedSetup(d *document, m *match) bool {
	return absolute.MatchString(around(d, m)) && fetchedOrRunning.MatchString(around(d, m)) && dropNegated(d, m)
}

var fetchedOrRunning = said(`\b(?:install(?:ed)?|running|download|set up)\b`)
