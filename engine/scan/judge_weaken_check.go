package scan

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// judgeFlag drops flags that are forbidden: "never use --force" is a safeguard.
func judgeFlag(d *document, m *match) bool {
	s := speechAt(d, m)
	return !s.negated && !s.example && !d.forbidden(m.start)
}

// judgeOvercome drops phrases that are forbidden or describe others' texts. The order
// itself has only one meaning.
func judgeOvercome(d *document, m *match) bool {
	s := speechAt(d, m)
	if s.concealed {
		return true
	}
	return !s.negated && !s.example && !d.describes(m.start) && !d.forbidden(m.start) && !listsFlag(d, m.start)
}

// listsFlag reports whether the line of offset explains a flag of a program.
func listsFlag(d *document, offset int) bool {
	line := d.lineAround(offset)
	text := strings.TrimLeft(d.text[line.start:line.end], "|*`- \t")
	lead := d.text[line.start : line.end-len(text)]
	return strings.HasSuffix(lead, "--") || strings.HasSuffix(lead, "-") && !strings.HasSuffix(lead, " ")
}

// guardian matches checks that belong to the machine's owner.
var guardian = said(`\b(?:firewall|antivirus|virus scanner|defender|gatekeeper|quarantine|audit(?:ing| logs?| trail))\b`)

// third matches a verb in the third person.
var third = said(`^(?:disables|deactivates|suppresses|bypasses|skips|ignores|silences|removes|deletes|stops|drops)\b`)

// tells reports whether m describes the effect of something other than a file of the capability.
func (d *document) tells(m *match) bool {
	return third.MatchString(d.text[m.start:m.end]) && !strings.Contains(d.sentence(m.start), "/")
}

// lacking matches an instruction for the case that a check is missing.
var lacking = expr(`^Without \w+(?: \w+)?[:,]`)

// judgeWeaken raises it where the check guards the machine itself.
func judgeWeaken(d *document, m *match) bool {
	s := speechAt(d, m)
	switch {
	case s.concealed:
		m.severity, m.confidence = diag.Warning, 0.6
	// In brackets it is an aside, and no order.
	case strings.HasPrefix(d.text[m.end:], ")"), lacking.MatchString(d.text[m.start:min(len(d.text), m.end+1)]), s.quoted, s.example, d.forbidden(m.start):
		return false
	case guardian.MatchString(d.text[m.start:m.end]) && !s.discussed && !d.tells(m):
		m.severity, m.confidence = diag.Warning, 0.5
	}
	return true
}
