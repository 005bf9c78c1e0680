package plaintext

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is how much of a text is undone.
type Form int

const (
	// Bare lacks invisible characters and accents on Latin letters, and its blanks are
	// ASCII ones. Letters of other alphabets stay.
	Bare Form = iota
	// Latin is Bare with Latin letters for those that look Latin. Words with letters that
	// look like no Latin one are of another language, and stay.
	Latin
	// Apart is Latin with a blank for invisible characters between letters: they may stand
	// for a blank as well as for nothing.
	Apart
)

// Text is a text in one form. Its line breaks are those of the original.
type Text struct {
	string
	moved []shift
}

// shift says that from offset at on, offsets lie by bytes further on in the original.
type shift struct{ at, by int }

// String returns the text.
func (t Text) String() string { return t.string }

// Original returns the offset in the original for an offset of t.
func (t Text) Original(at int) int {
	i := sort.Search(len(t.moved), func(i int) bool { return t.moved[i].at > at })
	if i == 0 {
		return at
	}
	return at + t.moved[i-1].by
}

// Of returns s, which is valid UTF-8, in a form, and whether s hides words in a way that
// the form before it leaves.
func Of(s string, form Form) (Text, bool) {
	w := writer{form: form, text: s}
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		i += w.special(i)
	}
	if w.done == 0 {
		return Text{string: s}, w.hid
	}
	w.b.WriteString(s[w.done:])
	return Text{w.b.String(), w.moved}, w.hid
}

// writer writes a form, one special character after the other.
type writer struct {
	form  Form
	text  string
	b     strings.Builder
	done  int // bytes of text that are written or left out
	moved []shift
	hid   bool
}

// special handles the character at an offset and returns its size.
func (w *writer) special(at int) int {
	r, size := utf8.DecodeRuneInString(w.text[at:])
	before := w.last(at)
	after, _ := utf8.DecodeRuneInString(w.text[at+size:])
	plain, hides := bare(r, before, after)
	if w.form >= Latin {
		hides = false
		if plain == string(r) && looksLatin(wordAround(w.text, at)) {
			plain, hides = latin(r, before, after)
		}
	}
	if w.form == Apart {
		hides = plain == "" && ofWord(before) && ofWord(visibleAfter(w.text[at+size:]))
		if hides {
			plain = " "
		}
	}
	w.hid = w.hid || hides
	if plain == w.text[at:at+size] {
		return size
	}
	w.b.WriteString(w.text[w.done:at])
	w.b.WriteString(plain)
	w.done = at + size
	if len(plain) != size {
		w.moved = append(w.moved, shift{w.b.Len(), w.done - w.b.Len()})
	}
	return size
}

// visibleAfter is the first character of s that is not left out.
func visibleAfter(s string) rune {
	for _, r := range s {
		if !Ignorable(r) {
			return r
		}
	}
	return utf8.RuneError
}

// last is the character of the form in front of an offset.
func (w *writer) last(at int) rune {
	written := w.text[w.done:at]
	if written == "" {
		written = w.b.String()
	}
	r, _ := utf8.DecodeLastRuneInString(written)
	return r
}

// mostWord bounds how far a word is looked at to each side, in bytes.
const mostWord = 240

func wordAround(s string, at int) string {
	start, end := at, at
	for start > 0 && at-start <= mostWord {
		r, n := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) && !Ignorable(r) {
			break
		}
		start -= n
	}
	for end < len(s) && end-at <= mostWord {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) && !Ignorable(r) {
			break
		}
		end += n
	}
	return s[start:end]
}
