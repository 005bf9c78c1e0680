package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Shortest is the length in bytes from which on a value can be redacted. Anything
// shorter stands in harmless text too often, and can be guessed.
const Shortest = 4

// A Redactor replaces values. The zero value and nil replace nothing.
type Redactor struct {
	forms [256][]form // by their first byte, the longest first
}

// form is one spelling of a secret.
type form struct {
	text  []byte
	label []byte
}

// New gives a redactor for secrets by their names. Values shorter than Shortest are
// left alone.
func New(secrets map[string]string) *Redactor {
	r := &Redactor{}
	for name, value := range secrets {
		value = strings.TrimSpace(value) // a line's end that came with it from a file
		if len(value) < Shortest {
			continue
		}
		label := []byte("[redacted:" + name + "]")
		for _, spelt := range spellings(value) {
			r.forms[spelt[0]] = append(r.forms[spelt[0]], form{text: []byte(spelt), label: label})
		}
	}
	for _, forms := range r.forms {
		slices.SortFunc(forms, func(a, b form) int {
			return cmp.Or(len(b.text)-len(a.text), bytes.Compare(a.text, b.text), bytes.Compare(a.label, b.label))
		})
	}
	return r
}

// Bytes gives text without the secrets. The text itself is not changed.
func (r *Redactor) Bytes(text []byte) []byte {
	out, _ := r.some(text, true)
	return out
}

// String is Bytes for strings.
func (r *Redactor) String(text string) string { return string(r.Bytes([]byte(text))) }

// some gives what of text is settled, and what has to wait because it may be the
// beginning of a secret; at the end nothing waits.
func (r *Redactor) some(text []byte, end bool) (settled, waiting []byte) {
	if r == nil {
		return bytes.Clone(text), nil
	}
	out := make([]byte, 0, len(text))
	plain := 0
	for i := 0; i < len(text); {
		found, unsure := r.at(text[i:], !end)
		switch {
		case unsure:
			return append(out, text[plain:i]...), text[i:]
		case found == nil:
			i++
		default:
			out = append(append(out, text[plain:i]...), found.label...)
			i += len(found.text)
			plain = i
		}
	}
	return append(out, text[plain:]...), nil
}

// at finds the longest form that text begins with, or says that more text is needed
// to know.
func (r *Redactor) at(text []byte, more bool) (found *form, unsure bool) {
	forms := r.forms[text[0]]
	for i := range forms {
		f := &forms[i]
		switch {
		case bytes.HasPrefix(text, f.text):
			return f, false
		case more && len(text) < len(f.text) && bytes.HasPrefix(f.text, text):
			return nil, true
		}
	}
	return nil, false
}
