package scan

import (
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// maxInvisibleRun is how many invisible characters may follow each other; more
// of them are not typography but data.
const maxInvisibleRun = 8

// invisibles finds invisible characters other than bidi controls and tags,
// which have rules of their own.
func invisibles(_ *machine, d *document) []match {
	var found []match
	run := span{-1, -1}
	count, unseen := 0, 0
	flush := func() {
		if unseen > 0 || count >= maxInvisibleRun {
			if m, ok := judgeInvisible(d, run, count); ok {
				found = append(found, m)
			}
		}
		count, unseen = 0, 0
	}
	special(d, func(at int, r rune) {
		if at == run.end && (unicode.IsControl(r) || plaintext.LineEnd(r)) { // ends no run
			run.end += utf8.RuneLen(r)
			return
		}
		if !plaintext.Unseen(r) && !plaintext.Blank(r) || (r == 0xFEFF && at == 0) || (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069) || (r >= 0xE0000 && r <= 0xE007F) {
			return
		}
		if at != run.end {
			flush()
			run.start = at
		}
		run.end = at + utf8.RuneLen(r)
		count++
		if !plaintext.Blank(r) { // a few braille blanks may be a picture
			unseen++
		}
	})
	flush()
	return found
}

// judgeInvisible admits characters that typography needs: joiners and selectors
// after emoji and between letters of scripts that use them.
func judgeInvisible(d *document, run span, count int) (match, bool) {
	s := d.lineAround(run.start)
	m := match{start: run.start, end: max(run.end, s.end), severity: diag.Warning, confidence: 0.7, evidence: d.text[s.start:s.end]}
	if count >= maxInvisibleRun {
		m.severity, m.confidence, m.evidence = diag.Error, 0.95, d.text[run.start:run.end]
		return m, true
	}
	previous, _ := utf8.DecodeLastRuneInString(d.text[:run.start])
	next, _ := utf8.DecodeRuneInString(d.text[run.end:])
	r, _ := utf8.DecodeRuneInString(d.text[run.start:])
	switch {
	case !plaintext.Ignorable(r): // no script needs it
		if !unicode.IsLetter(previous) && !unicode.IsLetter(next) {
			m.lower(diag.Note)
		}
	case previous >= 0x2000 && (r == 0x200D || r >= 0xFE00 && r <= 0xFE0F), previous > 0x500 && unicode.IsLetter(previous), next > 0x500 && unicode.IsLetter(next):
		return m, false
	case r == 0xFE0F && (previous >= '0' && previous <= '9' || previous == '#' || previous == '*' || previous == 0xA9 || previous == 0xAE):
		return m, false
	case !unicode.IsLetter(previous) && !unicode.IsLetter(next):
		m.lower(diag.Note)
	}
	return m, true
}
