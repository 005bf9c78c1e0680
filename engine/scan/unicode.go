package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/diag"
)

// maxInvisibleRun is how many invisible characters may follow each other; more
// of them are not typography but data.
const maxInvisibleRun = 8

func unicodeRules() []rule {
	return []rule{
		{RuleInfo: RuleInfo{"unicode-bidi", Unicode, diag.Error, "a control character reorders the text that a reader sees",
			"Bidirectional overrides make code read differently from what runs (CVE-2021-42574).",
			"Remove the character; right-to-left prose needs no embedding or override."}, check: bidi},
		{RuleInfo: RuleInfo{"unicode-invisible", Unicode, diag.Error, "characters stand here that nobody sees",
			"Invisible characters split words so that searches miss them, or carry a message of their own.",
			"Delete them: retype the line rather than paste it."}, check: invisibles},
		{RuleInfo: RuleInfo{"unicode-tag", Unicode, diag.Error, "tag characters spell a text that only a model reads",
			"Unicode tags mirror ASCII invisibly; outside flag emoji they serve to smuggle instructions.",
			"Delete them."}, check: tags},
		{RuleInfo: RuleInfo{"unicode-lookalike", Unicode, diag.Error, "a word mixes letters of different scripts that look the same",
			"A Cyrillic or Greek letter in a Latin host, command or name leads to another place than it seems to.",
			"Retype the word in one script."}, check: lookalikes},
		{RuleInfo: RuleInfo{"unicode-control", Unicode, diag.Warning, "a control character stands in the text",
			"Escape sequences rewrite what a terminal shows; backspaces overwrite it.",
			"Remove the character, or write it as an escape such as \\x1b."}, check: controls},
	}
}

// special calls visit for each rune of d that is not plain text.
func special(d *document, visit func(at int, r rune)) {
	for i := 0; i < len(d.text); {
		c := d.text[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f {
				visit(i, rune(c))
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(d.text[i:])
		visit(i, r)
		i += n
	}
}

func bidi(_ *machine, d *document) []match {
	var found []match
	special(d, func(at int, r rune) {
		if (r < 0x202A || r > 0x202E) && (r < 0x2066 || r > 0x2069) {
			return
		}
		s := d.lineAround(at)
		m := match{start: at, end: s.end, severity: diag.Error}
		if r != 0x202D && r != 0x202E && d.placeOf(at) == prose && hasRightToLeft(d.text[s.start:s.end]) {
			m.severity, m.confidence = diag.Warning, 0.6
		}
		found = append(found, m)
	})
	return found
}

func hasRightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
	})
}

// invisible reports whether r takes no room on the screen.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// invisibles finds invisible characters other than bidi controls and tags,
// which have rules of their own.
func invisibles(_ *machine, d *document) []match {
	var found []match
	run := span{-1, -1}
	count := 0
	flush := func() {
		if count > 0 {
			if m, ok := judgeInvisible(d, run, count); ok {
				found = append(found, m)
			}
		}
		count = 0
	}
	special(d, func(at int, r rune) {
		if !invisible(r) || (r == 0xFEFF && at == 0) || (r >= 0x202A && r <= 0x202E) || (r >= 0x2066 && r <= 0x2069) || (r >= 0xE0000 && r <= 0xE007F) {
			return
		}
		if at != run.end {
			flush()
			run.start = at
		}
		run.end = at + utf8.RuneLen(r)
		count++
	})
	flush()
	return found
}

// judgeInvisible admits what typography needs: joiners and selectors after
// emoji and between letters of scripts that use them.
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
	case previous >= 0x2000 && (r == 0x200D || r >= 0xFE00 && r <= 0xFE0F), previous > 0x500 && unicode.IsLetter(previous), next > 0x500 && unicode.IsLetter(next):
		return m, false
	case r == 0xFE0F && (previous >= '0' && previous <= '9' || previous == '#' || previous == '*' || previous == 0xA9 || previous == 0xAE):
		return m, false
	case !unicode.IsLetter(previous) || !unicode.IsLetter(next):
		m.lower(diag.Note)
	}
	return m, true
}

// tags finds tag characters outside flag emoji: a black flag, at most six tag
// letters or digits, a cancel tag (Unicode TR51, ED-14a).
func tags(_ *machine, d *document) []match {
	var found []match
	end := 0
	special(d, func(at int, r rune) {
		if r < 0xE0000 || r > 0xE007F || at < end {
			return
		}
		end = at
		var spelled strings.Builder
		for end < len(d.text) {
			t, n := utf8.DecodeRuneInString(d.text[end:])
			if t < 0xE0000 || t > 0xE007F {
				break
			}
			end += n
			if t >= 0xE0020 && t < 0xE007F {
				spelled.WriteRune(t - 0xE0000)
			}
		}
		if strings.HasSuffix(d.text[:at], "\U0001F3F4") && spelled.Len() <= 6 && strings.HasSuffix(d.text[:end], "\U000E007F") {
			return
		}
		found = append(found, match{start: at, end: end, severity: diag.Error, evidence: "tags spell: " + spelled.String()})
	})
	return found
}

func controls(_ *machine, d *document) []match {
	var found []match
	special(d, func(at int, r rune) {
		if r < ' ' && r != '\f' || r >= 0x7f && r < 0xA0 || r == 0x2028 || r == 0x2029 {
			m := match{start: at, end: d.lineAround(at).end, severity: diag.Warning, confidence: 0.7}
			if r >= 0x7f {
				m.lower(diag.Note)
			}
			found = append(found, m)
		}
	})
	return found
}
