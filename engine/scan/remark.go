package scan

import (
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
)

// A remark is a note about what following a text makes an agent do beside its
// task. A text by itself cannot tell whether that is wanted: a reviewer can, and
// so can who compares two scans. Its evidence is the phrase and no more, so that
// another word in the same sentence is no news.

// words stands for up to n words within a sentence; a dot inside of a word, as in
// the name of a file, ends none.
func words(n string) string { return `(?:[^\s.!?;|]+(?:[.]\w+)* ){0,` + n + `}?` }

// few is what a remark's expression may see at most beyond a share of the text;
// where a text holds more there are remarks enough.
const few = 64 << 10

// remarks returns a pattern of remarks.
func remarks(near []string, re string) pattern {
	return pattern{near: near, re: said(re), in: prose | hidden, severity: diag.Note, confidence: 0.3, judge: judgeRemark, remark: true}
}

// judgeRemark drops what is forbidden, and examples in texts about attacks.
func judgeRemark(d *document, m *match) bool {
	if d.placeOf(m.start) == hidden {
		return true
	}
	m.end -= len(d.text[m.start:m.end]) - len(strings.TrimRight(d.text[m.start:m.end], " \t\r\n,:(`*\""))
	return !negated(d.text[d.lineAround(m.start).start:m.start]) && !d.exampleOfAttack(m) && !d.forbidden(m.start)
}

// exampleOfAttack reports whether m is quoted or fenced in a text about attacks.
func (d *document) exampleOfAttack(m *match) bool { return d.aboutAttacks() && speechAt(d, m).example }

// acting are verbs of what reaches beyond the answer itself, then its object.
const acting = `(?:(?:re-?)?run|execut|call|invok|upload|send|forward|post|append|insert|add|include|prepend|remov|delet|eras|clean|clear|cancel|archiv|lock|print|log|record|sav|stor|writ|copy|back|backup|sync|mirror|push|commit|publish|shar|notif|email|mail|cc|bcc|claim|report|submit|register|install|fetch|download|collect|mak|creat|reset|overwrit|renam|mov|replac|approv|accept|open|post)(?:e|y|s|es|ing|ting|ning)?\b(?: [^\s.!?;|]+(?:[.]\w+)*){0,5}`

// shownRemarks are remarks that commands draw, too.
func shownRemarks(near []string, re string) pattern {
	p := remarks(near, re)
	p.in |= shell | python | script | plain
	return p
}

// orderRemarks are remarks whose own words forbid.
func orderRemarks(near []string, re string) pattern {
	p := remarks(near, re)
	p.judge = func(d *document, m *match) bool {
		line := d.lineAround(m.start)
		quoted := quotedIn(d.text[line.start:line.end], m.start-line.start, m.end-line.start)
		return d.placeOf(m.start) == hidden || !quoted && !d.exampleOfAttack(m)
	}
	return p
}

// hostRemarks are addresses that are more than something to read.
func hostRemarks(near []string, re string) pattern {
	p := shownRemarks(near, re)
	p.in |= data
	p.judge = func(d *document, m *match) bool {
		return !d.onlyLinked(m.start) && active.MatchString(d.sentence(m.start)) && judgeRemark(d, m)
	}
	return p
}

// codeRemarks are remarks that commands draw and prose does not.
func codeRemarks(near []string, re string) pattern {
	p := remarks(near, re)
	p.in = shell | python | script
	return p
}

// distinct keeps the first of matches with the same words: a remark that is made
// twice says no more.
func (d *document) distinct(matches []match) []match {
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
