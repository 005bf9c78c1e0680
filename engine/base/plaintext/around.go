package plaintext

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/assent-dev/assent/engine/base/names"
)

// mostWord bounds the part of a word that is examined on each side of a letter, in bytes.
const mostWord = 240

// surroundings answers for one letter of a text after another, from left to right, whether its word
// is written in Latin letters or ones that look like them. It reads each character twice at most,
// however long the word is.
type surroundings struct {
	// before is the offset up to which the left side is read, foreign the end of the last letter there
	// that does not look Latin and belongs to the word; -1 for none.
	before, foreign int
	started         bool
	// after is the offset up to which the right side is read: the first character from there on that
	// ends the word or does not look Latin, if met, which ends says.
	after int
	met   bool
	ends  bool
}

// latin reports whether no letter that does not look Latin is in the word around text[at:], within
// mostWord bytes.
func (s *surroundings) latin(text string, at int) bool {
	if !s.started {
		s.foreign, s.started = -1, true
	}
	for s.before < at {
		r, n := utf8.DecodeRuneInString(text[s.before:])
		s.before += n
		switch {
		case !inWord(r):
			s.foreign = -1
		case !twin(r):
			s.foreign = s.before
		}
	}
	if s.foreign >= 0 && at-s.foreign <= mostWord {
		return false
	}
	if s.after < at {
		s.after, s.met = at, false
	}
	for !s.met && s.after < len(text) && s.after-at <= mostWord {
		r, n := utf8.DecodeRuneInString(text[s.after:])
		if s.ends = !inWord(r); s.ends || !twin(r) {
			s.met = true
			break
		}
		s.after += n
	}
	return !s.met || s.ends || s.after-at > mostWord
}

// inWord reports whether a character continues a word.
func inWord(r rune) bool { return unicode.IsLetter(r) || Unseen(r) }

// twin reports whether a character of a word is a Latin letter, looks like one, or is not shown.
func twin(r rune) bool {
	if r < 0x250 || Unseen(r) || Letter(r) != r {
		return true
	}
	_, is := names.Latin(r)
	return is || norm.NFKC.String(string(r)) != string(r)
}
