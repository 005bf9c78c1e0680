package scan

import (
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// maxUndressed bounds how often judges of one document look behind a disguise.
const maxUndressed = 400

// maxDressed is the length in bytes up to which a disguised text is looked at.
const maxDressed = 8 << 10

// undress scans the sentence around m after undone has removed its disguise, and
// keeps m if the result would have drawn a finding.
func undress(d *document, m *match, undone func(string) string) bool {
	s := d.sentenceSpan(m.start)
	return undressText(d, m, undone(d.text[min(s.start, m.start):max(s.end, m.end)]))
}

// undressText is undress for a text that is already undone.
func undressText(d *document, m *match, text string) bool {
	if d.machine == nil || d.depth >= maxDepth {
		return false
	}
	if d.undressed >= maxUndressed {
		m.lower(diag.Warning)
		m.message = "more disguised words stand here than the scanner looks behind"
		return d.depth == 0
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxDressed)], "")
	d.undressed++
	worst, ok := d.worstHidden("decoded.md", text, 0)
	if !ok {
		return false
	}
	if worst.severity == diag.Note {
		m.lower(diag.Warning)
	}
	m.message = "words are disguised that would be refused in plain: " + worst.rule.Summary
	m.evidence = "reads: " + strings.TrimSpace(text)
	return true
}

func plainLetters(s string) string { return strings.Map(plaintext.Letter, s) }

// closed joins letters that stand apart: one separator between two letters goes,
// more of them are the blank between two words.
func closed(s string) string {
	apart := func(r rune) bool {
		return r == '.' || r == '-' || r == '_' || r == '*' || r == '|' || unicode.IsSpace(r)
	}
	runes := []rune(s)
	var b strings.Builder
	for i := 0; i < len(runes); i++ {
		if !apart(runes[i]) {
			b.WriteRune(runes[i])
			continue
		}
		from := i
		for i+1 < len(runes) && apart(runes[i+1]) {
			i++
		}
		if i > from {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// everySecond returns every second rune, for texts with a separator between all
// characters, full stops included.
func everySecond(s string) string {
	var b strings.Builder
	for i, r := range []rune(s) {
		if i%2 == 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// digitLetters reads digits as the letters that they are written for.
func digitLetters(s string) string {
	return strings.NewReplacer("4", "a", "@", "a", "3", "e", "1", "i", "!", "i", "0", "o", "5", "s", "$", "s", "7", "t", "|", "l").Replace(s)
}

// rotated is ROT13, which undoes itself.
func rotated(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, s)
}

func backwards(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// unescaped undoes \x and \u escapes, percent-encoding and character references.
func unescaped(s string) string {
	s = html.UnescapeString(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		digits := 0
		switch {
		case s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x':
			digits = 2
		case s[i] == '\\' && i+5 < len(s) && s[i+1] == 'u':
			digits = 4
		}
		if digits > 0 {
			if code, err := strconv.ParseUint(s[i+2:i+2+digits], 16, 32); err == nil {
				b.WriteRune(rune(code))
				i += 1 + digits
				continue
			}
		}
		b.WriteByte(s[i])
	}
	if decoded, err := url.PathUnescape(b.String()); err == nil && utf8.ValidString(decoded) {
		return decoded
	}
	return b.String()
}

// unmarked takes emphasis and marks inside of words off.
func unmarked(s string) string {
	s = wordMarks.ReplaceAllString(s, "")
	return strings.NewReplacer("*", "", "_", " ", "`", "", "~", "").Replace(s)
}

// wordMarks matches markup that shows nothing and splits a word.
var wordMarks = expr(`<!--.*?-->|<\w+>\s*</\w+>|</?(?:wbr|b|i|u|em|strong|span|s)\s*/?>|&(?:shy|zwj|zwnj|ZeroWidthSpace|NoBreak);|&#(?:8203|8204|8205|8288|173|x200[bcd]|xad);`)
