package redact

import "bytes"

// A gap says what may be between two characters of a form, because encoders break lines and
// separate bytes. No gap character belongs to those encodings.
type gap int

const (
	none   gap = iota
	lines      // a line end, also escaped as in JSON
	spaces     // a line end or a separator of bytes
	soft       // a soft line break of quoted-printable
	free       // as soft, with each character in any spelling; see form.matchFree
)

// mostGaps bounds consecutive gaps: a line end of two characters, and an indent.
const mostGaps = 4

var between = map[gap][][]byte{
	lines:  {[]byte("\n"), []byte("\r"), []byte(`\n`), []byte(`\r`)},
	soft:   {[]byte("=\n"), []byte("=\r\n"), []byte(`=\n`), []byte(`=\r\n`)},
	spaces: {[]byte(" "), []byte("\n"), []byte("\r"), []byte(`\n`), []byte(`\r`), []byte("\t"), []byte(":")},
}

// length returns the length of the gap at the start of text.
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
