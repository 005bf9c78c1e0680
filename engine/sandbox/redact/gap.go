package redact

import "bytes"

// A gap says what may stand between two characters of a form, as encoders break lines and set bytes
// apart. None of it is a character of those encodings.
type gap int

const (
	none   gap = iota
	lines      // a line's end, also as JSON has it
	spaces     // that, and separators of bytes
	soft       // a line end of quoted-printable
	free       // as soft, and each character in any spelling; see form.spelt
)

// mostGaps is how many of them may follow each other: a line's end of two, and an indent.
const mostGaps = 4

var between = map[gap][][]byte{
	lines:  {[]byte("\n"), []byte("\r"), []byte(`\n`), []byte(`\r`)},
	soft:   {[]byte("=\n"), []byte("=\r\n"), []byte(`=\n`), []byte(`=\r\n`)},
	spaces: {[]byte(" "), []byte("\n"), []byte("\r"), []byte(`\n`), []byte(`\r`), []byte("\t"), []byte(":")},
}

// length is how many bytes at the beginning of text are a gap.
func (g gap) length(text []byte) (n int) {
	for range mostGaps {
		m := g.one(text[n:])
		if m == 0 {
			break
		}
		n += m
	}
	return n
}

// cut reports whether text ends within a gap.
func (g gap) cut(text []byte) bool {
	for _, each := range between[g] {
		if len(text) < len(each) && bytes.HasPrefix(each, text) {
			return true
		}
	}
	return false
}

func (g gap) one(text []byte) int {
	for _, each := range between[g] {
		if bytes.HasPrefix(text, each) {
			return len(each)
		}
	}
	return 0
}
