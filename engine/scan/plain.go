package scan

import (
	"slices"
	"unicode/utf8"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/plaintext"
)

// A model reads through characters that hide words from a search. Files therefore judges
// a file that holds such characters as written and in its plain forms. Those readings
// can only add findings.

// forms returns the plain forms. Each is judged if it undoes more than the form before
// it. The rule about mixed alphabets needs the first.
func forms() []plaintext.Form {
	return []plaintext.Form{plaintext.Bare, plaintext.Latin, plaintext.Apart, plaintext.Together}
}

// plainForms returns files with their plain form in place of those that hide words, and
// whether there are any.
func plainForms(files []File, form plaintext.Form, opt Options) ([]File, bool) {
	out := make([]File, len(files))
	hiding := make([]bool, len(files))
	opt.each(len(files), func(i int) { out[i], hiding[i] = plainForm(files[i], form) })
	return out, slices.Contains(hiding, true)
}

// plainForm returns f in a plain form, and whether f hides words that the form before it
// leaves hidden. Letters in a program that stand apart are names.
func plainForm(f File, form plaintext.Form) (File, bool) {
	if !f.Mode.IsFile() || !utf8.Valid(f.Content) || form == plaintext.Together && programFile(f) {
		return f, false
	}
	text, hides := plaintext.Of(string(f.Content), form)
	if hides {
		f.Content, f.plain = []byte(text.String()), &text
	}
	return f, hides
}

// worstHidden returns the worst finding in a text that d hides, as it is and in its
// plain forms. Unless it is 0, all of the text is of the given place.
func (d *document) worstHidden(name, text string, where place) (worst finding, found bool) {
	texts := []string{text}
	for _, form := range forms() {
		if plain, ok := plaintext.Of(text, form); ok {
			texts = append(texts, plain.String())
		}
	}
	for _, t := range texts {
		inner := newDocument(name, t, nil)
		inner.depth = d.depth + 1
		if where != 0 {
			inner.regions = []region{{span{0, len(t)}, where}}
		}
		if f, ok := worstOf(d.machine.scan(inner)); ok && (!found || f.severity < worst.severity) {
			worst, found = f, true
		}
	}
	return worst, found
}

// addHidden adds the findings of plain forms that written lacks: where the same rule found
// nothing as severe on that line. A note that invisible characters hide is a warning; words are
// divided at the end of a line by honest authors, too.
func addHidden(written, plain diag.List, form plaintext.Form) diag.List {
	type line struct {
		rule, file string
		line       int
	}
	known := map[line]diag.Severity{}
	for _, f := range written {
		at := line{f.Rule, f.File, f.Line}
		if s, ok := known[at]; !ok || f.Severity < s {
			known[at] = f.Severity
		}
	}
	for _, f := range plain {
		if form >= plaintext.Latin && f.Rule == "unicode-lookalike" { // made of letters that were exchanged
			continue
		}
		if s, ok := known[line{f.Rule, f.File, f.Line}]; ok && s <= f.Severity {
			continue
		}
		if form == plaintext.Together {
			f.Message += "; letters set apart hide it from a search"
		} else {
			f.Severity = min(f.Severity, diag.Warning)
			f.Message += "; invisible or look-alike characters hide it from a search"
		}
		written = append(written, f)
	}
	return written
}
