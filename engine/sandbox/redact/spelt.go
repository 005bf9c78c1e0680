package redact

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A free form is matched character by character: each may be unchanged, in either case, or
// escaped as in JSON, URLs, HTML or quoted-printable, independently of the others. Programs
// differ in which characters they escape, so no list of whole spellings would be complete.

// longestEntity is the longest HTML spelling of one character that is matched, in bytes.
const longestEntity = 12

// matchFree returns how many bytes at the start of text are the form in any spelling, 0 if none.
// short is set if more text could make it a match, or a longer one.
func (f *form) matchFree(text []byte) (n int, short bool) {
	var room, other [mostWays]int
	at, next := append(room[:0], 0), other[:0]
	for i, r := range string(f.text) {
		next = next[:0]
		for _, from := range at {
			starts := [2]int{from, from}
			if i > 0 {
				starts[1] += soft.length(text[from:])
				short = short || soft.cut(text[from:])
			}
			for j, start := range starts {
				if j > 0 && start == from {
					break
				}
				var found spans
				cut := found.of(text[start:], r)
				short = short || cut
				for _, m := range found.ends[:found.n] {
					next = appendNew(next, start+m)
				}
			}
		}
		if len(next) == 0 {
			return 0, short
		}
		at, next = next, at
	}
	for _, end := range at {
		n = max(n, end)
	}
	return n, short
}

// mostWays bounds the readings of a text followed at once: a value of backslashes alone has as
// many as its length.
const mostWays = 16

func appendNew(to []int, n int) []int {
	if len(to) == mostWays || slices.Contains(to, n) {
		return to
	}
	return append(to, n)
}

// spans holds the ends of the spellings of one character at the start of a text.
type spans struct {
	ends [4]int
	n    int
}

func (s *spans) add(end int) {
	if end > 0 && s.n < len(s.ends) {
		s.ends[s.n] = end
		s.n++
	}
}

// of finds them. short is set if the text ends within a possible spelling.
func (s *spans) of(text []byte, want rune) (short bool) {
	if len(text) == 0 {
		return true
	}
	if !utf8.FullRune(text) {
		return true
	}
	if r, size := utf8.DecodeRune(text); sameLetter(r, want) && (r != utf8.RuneError || size > 1 || want == utf8.RuneError) {
		s.add(size)
	}
	switch text[0] {
	case '+':
		if want == ' ' {
			s.add(1)
		}
	case '%', '=':
		return s.bytes(text, text[:1], want)
	case '&':
		return s.entity(text, want)
	case '\\':
		return s.escape(text, want)
	}
	return false
}

// sameLetter reports whether two characters are equal except for case.
func sameLetter(a, b rune) bool {
	return a == b || unicode.ToLower(a) == unicode.ToLower(b) || unicode.ToUpper(a) == unicode.ToUpper(b)
}

// bytes matches a character whose bytes are in hexadecimal, each after a mark.
func (s *spans) bytes(text, mark []byte, want rune) (short bool) {
	var read [utf8.UTFMax]byte
	for i, at := 0, 0; i < len(read); i++ {
		rest := text[at:]
		if len(rest) < len(mark)+2 {
			return bytes.HasPrefix(mark, rest) || bytes.HasPrefix(rest, mark)
		}
		if !bytes.HasPrefix(rest, mark) {
			return false
		}
		b, err := strconv.ParseUint(string(rest[len(mark):len(mark)+2]), 16, 8)
		if err != nil {
			return false
		}
		at += len(mark) + 2
		read[i] = byte(b)
		if s.whole(read[:i+1], at, want) {
			return false
		}
	}
	return false
}

// whole reports whether the bytes read up to at are a character, and adds the end of the wanted one.
func (s *spans) whole(read []byte, at int, want rune) bool {
	r, size := utf8.DecodeRune(read)
	is := size == len(read) && r != utf8.RuneError
	if is && sameLetter(r, want) {
		s.add(at)
	}
	return is
}

// entity matches an HTML entity, or a character's bytes as entities.
func (s *spans) entity(text []byte, want rune) (short bool) {
	var read [utf8.UTFMax]byte
	for i, at := 0, 0; i < len(read); i++ {
		rest := text[at:]
		if len(rest) == 0 {
			return true
		}
		if rest[0] != '&' {
			return false
		}
		end := bytes.IndexByte(rest[:min(len(rest), longestEntity)], ';')
		if end < 0 {
			return len(rest) < longestEntity
		}
		meant := html.UnescapeString(string(rest[:end+1]))
		r, size := utf8.DecodeRuneInString(meant)
		at += end + 1
		switch {
		case size != len(meant): // not an entity
			return false
		case i == 0 && sameLetter(r, want):
			s.add(at)
			return false
		case r < utf8.RuneSelf || r > 0xff:
			return false
		}
		read[i] = byte(r)
		if s.whole(read[:i+1], at, want) {
			return false
		}
	}
	return false
}

// escape matches an escape sequence of JSON and programming languages.
func (s *spans) escape(text []byte, want rune) (short bool) {
	if len(text) < 2 {
		return true
	}
	switch c := text[1]; c {
	case 'x':
		return s.bytes(text, text[:2], want)
	case 'u':
		return s.unicode(text, want)
	default:
		meant := rune(c)
		if i := bytes.IndexByte([]byte("nrtbf0"), c); i >= 0 {
			meant = rune("\n\r\t\b\f\x00"[i])
		}
		if meant == want && c < utf8.RuneSelf {
			s.add(2)
		}
	}
	return false
}

// unicode matches one or two UTF-16 units.
func (s *spans) unicode(text []byte, want rune) (short bool) {
	const unit = len(`\u0000`)
	one := func(text []byte) (rune, bool) {
		n, err := strconv.ParseUint(string(text[2:unit]), 16, 16)
		return rune(n), err == nil && text[0] == '\\' && text[1] == 'u'
	}
	if len(text) < unit {
		return true
	}
	r, ok := one(text)
	switch {
	case !ok:
	case !utf16.IsSurrogate(r):
		if sameLetter(r, want) {
			s.add(unit)
		}
	case len(text) < 2*unit:
		return true
	default:
		if low, ok := one(text[unit:]); ok && sameLetter(utf16.DecodeRune(r, low), want) {
			s.add(2 * unit)
		}
	}
	return false
}

// firstBytes returns the bytes that can start a spelling of a character.
func firstBytes(r rune) []byte {
	out := []byte{'%', '=', '&', '\\'}
	for _, each := range []rune{r, unicode.ToLower(r), unicode.ToUpper(r), unicode.ToTitle(r), unicode.SimpleFold(r)} {
		if first := string(each)[0]; !bytes.Contains(out, []byte{first}) {
			out = append(out, first)
		}
	}
	return out
}
