package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// A remark is a note about an act that a text makes an agent do beside its task. The
// text by itself does not show whether that is wanted: a reviewer can tell, and so can
// a comparison of two scans. The evidence is only the phrase, so that another word in
// the same sentence does not make it new.

// few bounds the bytes that a remark's expression may see beyond a share of the text.
// A text that holds more has remarks enough.
const few = 64 << 10

// completeRemark fills in the fields that a remark's file leaves out.
func (p *pattern) completeRemark(in string) {
	p.severity, p.judge = diag.Note, judgeRemark
	if p.confidence == 0 {
		p.confidence = 0.3
	}
	if in == "" {
		p.in = prose | hidden
	}
}

// judgeRemark drops phrases that are forbidden, and examples in texts about attacks.
func judgeRemark(d *document, m *match) bool {
	if d.placeOf(m.start) == hidden {
		return true
	}
	m.end -= len(d.text[m.start:m.end]) - len(strings.TrimRight(d.text[m.start:m.end], " \t\r\n,:(`*\""))
	return !negated(d.text[d.lineAround(m.start).start:m.start]) && !exampleOfAttack(d, m) && !d.forbidden(m.start)
}

// exampleOfAttack reports whether m is quoted or fenced in a text about attacks.
func exampleOfAttack(d *document, m *match) bool { return d.aboutAttacks() && speechAt(d, m).example }

// distinct keeps the first of matches with the same words: a remark that is made
// twice says no more.
func distinct(d *document, matches []match) []match {
	said := map[string]bool{}
	return slices.DeleteFunc(matches, func(m match) bool {
		words := strings.ToLower(strings.Join(strings.Fields(d.text[m.start:m.end]), " "))
		if said[words] {
			return true
		}
		said[words] = true
		return false
	})
}

// judgeOrderRemark is judgeRemark for phrases whose own words forbid.
func judgeOrderRemark(d *document, m *match) bool {
	line := d.lineAround(m.start)
	quoted := quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start)
	return d.placeOf(m.start) == hidden || !quoted && !exampleOfAttack(d, m)
}

// judgeHostRemark keeps addresses that are more than something to read.
func judgeHostRemark(d *document, m *match) bool {
	return !d.onlyLinked(m.start) && active.MatchString(d.sentence(m.start)) && judgeRemark(d, m)
}
