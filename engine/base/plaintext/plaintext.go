package plaintext

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Form selects the disguises to revert.
type Form int

const (
	// Bare drops invisible characters and accents on Latin letters, and replaces blanks by
	// ASCII ones. Letters of other alphabets stay.
	Bare Form = iota
	// Latin is Bare that also replaces letters that look Latin. It keeps words with a letter
	// that resembles no Latin one, because they are of another language.
	Latin
	// Apart is Latin with a blank for line ends other than the usual ones, and for invisible
	// characters between letters: they may stand for a blank as well as for nothing.
	Apart
	// Together is Latin that also joins letters with a gap between any two of them, and words
	// that a hyphen divides at the end of a line.
	Together
)

// Text is a text in one form. Its line breaks are those of the original, but for those that
// Together drops.
type Text struct {
	string
	source string // the original
	moved  []shift
	// under, unless nil, is the text of which this one is a form.
	under *Text
}

// shift records that offsets from at on are by bytes further in the original.
type shift struct{ at, by int }

// Place returns the line and the column of the original, from 0, for an offset of t.
func (t Text) Place(at int) (line, column int) {
	lead := t.source[:t.Original(at)]
	return strings.Count(lead, "\n"), len(lead) - strings.LastIndexByte(lead, '\n') - 1
}

// String returns the text.
func (t Text) String() string { return t.string }

// Original returns the offset in the original for an offset of t.
func (t Text) Original(at int) int {
	if i := sort.Search(len(t.moved), func(i int) bool { return t.moved[i].at > at }); i > 0 {
		at += t.moved[i-1].by
	}
	if t.under != nil {
		return t.under.Original(at)
	}
	return at
}

// Of returns s, which must be valid UTF-8, in a form. hides reports whether s hides words in a
// way that the weaker form keeps.
func Of(s string, form Form) (Text, bool) {
	if form == Together {
		latin, _ := Of(s, Latin)
		return together(latin)
	}
	w := writer{form: form, text: s}
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' || c == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			i++
			continue
		}
		i += w.special(i)
	}
	if w.done == 0 {
		return Text{string: s, source: s}, w.hid
	}
	w.b.WriteString(s[w.done:])
	return Text{string: w.b.String(), source: s, moved: w.moved}, w.hid
}

// writer builds a form, one special character after another.
type writer struct {
	form  Form
	text  string
	b     strings.Builder
	done  int // bytes of text that are written or dropped
	moved []shift
	hid   bool
	// shown is the offset of the first shown character after the last run that was left out.
	shown int
	// around looks at the word of each letter.
	around surroundings
}

// special handles the character at an offset and returns its size.
func (w *writer) special(at int) int {
	r, size := utf8.DecodeRuneInString(w.text[at:])
	before := w.last(at)
	after, _ := utf8.DecodeRuneInString(w.text[at+size:])
	plain, hides := bare(r, before, after)
	if w.form >= Latin {
		hides = false
		if plain == string(r) && w.around.latin(w.text, at) {
			plain, hides = latin(r, before, after)
		}
	}
	if w.form == Apart {
		hides = plain == "" && (LineEnd(r) || isWordRune(before) && isWordRune(w.visibleAfter(at+size)))
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

// visibleAfter is the first character from an offset on that is not left out. A run of characters that
// are is read once.
func (w *writer) visibleAfter(at int) rune {
	if at >= w.shown {
		w.shown = at
		for w.shown < len(w.text) {
			r, n := utf8.DecodeRuneInString(w.text[w.shown:])
			if !Unseen(r) && !LineEnd(r) {
				break
			}
			w.shown += n
		}
	}
	r, _ := utf8.DecodeRuneInString(w.text[w.shown:])
	return r
}

// last returns the character of the form before an offset.
func (w *writer) last(at int) rune {
	written := w.text[w.done:at]
	if written == "" {
		written = w.b.String()
	}
	r, _ := utf8.DecodeLastRuneInString(written)
	return r
}
