package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
)

// twins are the Cyrillic, Greek and Armenian letters that common fonts draw
// like a Latin one (a subset of the confusables of Unicode TS39).
const twins = "аеорсухіјѕԁһӏԛԝвнкмтАВЕКМНОРСТУХІЈЅ" + "οαινρυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" + "օսոհ"

// lookalikes finds words that mix Latin letters with their twins. Where a word
// is a command, a host or a name it leads astray for certain; in prose, where
// languages mix, a person must look.
func lookalikes(_ *machine, d *document) []match {
	var found strongest
	done := 0
	special(d, func(at int, r rune) {
		if at < done || !unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian) {
			return
		}
		s := wordAround(d.text, at)
		done = s.end
		if !mixesTwins(d.text[s.start:s.end]) {
			return
		}
		m := match{start: s.start, end: s.end, severity: diag.Warning, confidence: 0.7}
		if inHost(d.text, s) || d.placeOf(at)&(shell|python|script) != 0 {
			m.severity, m.confidence = diag.Error, 0.95
		}
		found.add(m)
	})
	return found.found
}

func wordAround(text string, at int) span {
	s := span{at, at}
	for s.start > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:s.start])
		if !unicode.IsLetter(r) || at-s.start > before {
			break
		}
		s.start -= n
	}
	for s.end < len(text) {
		r, n := utf8.DecodeRuneInString(text[s.end:])
		if !unicode.IsLetter(r) || s.end-at > before {
			break
		}
		s.end += n
	}
	return s
}

// mixesTwins reports whether word has at least two Latin letters and all its
// other letters are twins, in lower or upper case like their neighbours. Words
// with other foreign letters ("PDF-файл" without the hyphen) only mix languages.
func mixesTwins(word string) bool {
	latin, foreign := 0, 0
	for _, r := range word {
		switch {
		case r < 0x250:
			latin++
		case strings.ContainsRune(twins, r):
			foreign++
		default:
			return false
		}
	}
	return latin >= 2 && foreign > 0 && latin+foreign >= 4
}

// inHost reports whether the word at s is in the host of a URL.
func inHost(text string, s span) bool {
	for i := s.start; i > max(0, s.start-80); i-- {
		switch text[i-1] {
		case ' ', '\n', '\t', '"', '\'':
			return false
		case '/':
			return strings.HasSuffix(text[:i], "://")
		}
	}
	return false
}
