package redact

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Shortest is the minimum length in bytes of a value that can be redacted. Shorter values occur
// too often in harmless text, and can be guessed.
const Shortest = 4

// A Redactor replaces values. The zero value and nil replace nothing.
type Redactor struct {
	forms [256][]form // by first byte, longest first
}

// form is one spelling of a secret.
type form struct {
	text  []byte
	label []byte
	gap   gap
}

// New returns a redactor for secrets by name. It ignores values shorter than Shortest.
func New(secrets map[string]string) *Redactor {
	r := &Redactor{}
	for name, value := range secrets {
		value = strings.TrimSpace(value) // drop the line end of a value read from a file
		if len(value) < Shortest {
			continue
		}
		label := []byte("[redacted:" + name + "]")
		for _, spelt := range spellings(value) {
			first := []byte{spelt.text[0]}
			if spelt.gap == free {
				r, _ := utf8.DecodeRuneInString(spelt.text)
				first = firstBytes(r)
			}
			for _, b := range first {
				r.forms[b] = append(r.forms[b], form{text: []byte(spelt.text), label: label, gap: spelt.gap})
			}
		}
	}
	for i, forms := range r.forms {
		sort.Slice(forms, func(i, j int) bool { return forms[i].compare(forms[j]) < 0 })
		r.forms[i] = slices.CompactFunc(forms, func(a, b form) bool {
			return bytes.Equal(a.text, b.text) && bytes.Equal(a.label, b.label) && a.gap == b.gap
		})
	}
	return r
}

// compare orders forms: the longest first.
func (f form) compare(o form) int {
	return cmp.Or(len(o.text)-len(f.text), bytes.Compare(f.text, o.text), bytes.Compare(f.label, o.label), cmp.Compare(f.gap, o.gap))
}

// Bytes returns a copy of text without the secrets.
func (r *Redactor) Bytes(text []byte) []byte {
	out, _ := r.redactPart(text, true)
	return out
}

// String is Bytes for strings.
func (r *Redactor) String(text string) string { return string(r.Bytes([]byte(text))) }

// redactPart returns the redacted part of text that is final, and the rest that must wait because it
// may start a secret. At the end nothing waits.
func (r *Redactor) redactPart(text []byte, end bool) (settled, waiting []byte) {
	if r == nil {
		return bytes.Clone(text), nil
	}
	out := make([]byte, 0, len(text))
	plain := 0
	for i := 0; i < len(text); {
		found, n, unsure := r.at(text[i:], !end)
		switch {
		case unsure:
			return append(out, text[plain:i]...), text[i:]
		case found == nil:
			i++
		default:
			out = append(append(out, text[plain:i]...), found.label...)
			i += n
			plain = i
		}
	}
	return append(out, text[plain:]...), nil
}

// at returns the longest form at the start of text and its length in text. unsure is set if
// more text is needed to decide.
func (r *Redactor) at(text []byte, more bool) (found *form, n int, unsure bool) {
	forms := r.forms[text[0]]
	for i := range forms {
		n, short := forms[i].matchStart(text)
		switch {
		case more && short:
			return nil, 0, true
		case n > 0:
			return &forms[i], n, false
		}
	}
	return nil, 0, false
}

// matchStart returns how many bytes at the start of text are the form, 0 if none. short is set if
// all of text may be the start of the form.
func (f *form) matchStart(text []byte) (n int, short bool) {
	if f.gap == free {
		return f.matchFree(text)
	}
	if f.gap == none {
		if bytes.HasPrefix(text, f.text) {
			return len(f.text), false
		}
		return 0, len(text) < len(f.text) && bytes.HasPrefix(f.text, text)
	}
	for i, c := range f.text {
		if i > 0 {
			n += f.gap.length(text[n:])
		}
		if rest := text[n:]; len(rest) == 0 || i > 0 && len(rest) == 1 && rest[0] == '\\' {
			return 0, true
		}
		if text[n] != c {
			return 0, false
		}
		n++
	}
	return n, false
}
