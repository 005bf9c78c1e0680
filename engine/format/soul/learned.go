package soul

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
)

// SetLearned inserts e into the list, or replaces the entry of its name; the list
// is made at the end of the file when it is missing. Every byte outside that one
// entry stays.
func SetLearned(src []byte, e Entry) ([]byte, diag.List) {
	text := bytes.TrimRight(WriteEntry(e), "\n")
	if foldName(plainWord(e.Name)) == "" {
		var ds diag.List
		ds.Errorf(RuleLearnedEntry, diag.Pos{}, "name the capability", "an entry without a name")
		return src, ds
	}
	l, ok := findList(src)
	if !ok {
		return markup.EditSection("", src, markup.SectionEdit{Section: LearnedTitle, Mode: markup.Add, Content: text})
	}
	text = l.fit(text)
	for _, it := range l.items {
		if !SameName(it.name, plainWord(e.Name)) {
			continue
		}
		old := trimBlank(it.span.Of(src))
		eol := lineEnding(src[it.head.Start:it.head.End])
		out := slices.Concat(src[:it.span.Start], withEOL(text, eol), src[it.span.Start+len(old):])
		return checked(src, out)
	}
	return markup.EditSection("", src, markup.SectionEdit{Section: LearnedTitle, Mode: markup.Append, Content: text})
}

// fit gives an entry's heading the level below the list's.
func (l list) fit(text []byte) []byte {
	rest := bytes.TrimLeft(text, "#")
	return slices.Concat(bytes.Repeat([]byte("#"), l.section.Level+1), rest)
}

func withEOL(text []byte, eol string) []byte {
	return bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
}

func lineEnding(line []byte) string {
	if bytes.HasSuffix(line, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// checked refuses a result that reads as another list of sections than before.
func checked(src, out []byte) ([]byte, diag.List) {
	ds := markup.CheckClosed("", out)
	before, _ := markup.Sections(src)
	after, _ := markup.Sections(out)
	outside := func(s []markup.Section) []string {
		var slugs []string
		for _, x := range s {
			if _, entry := entryName(x.Title); !entry {
				slugs = append(slugs, strings.Repeat("#", x.Level)+x.Slug)
			}
		}
		return slugs
	}
	if !slices.Equal(outside(before), outside(after)) {
		ds.Errorf(markup.RuleSectionUnsafe, diag.Pos{}, "close fences and HTML around the list of learned capabilities",
			"with this entry other sections would be read differently")
	}
	if ds.HasErrors() {
		return src, ds
	}
	return out, ds
}

// RemoveLearned takes the entry of that name out of the list, with the blank
// lines after it. A name that is not in the list changes nothing.
func RemoveLearned(src []byte, name string) ([]byte, diag.List) {
	l, _ := findList(src)
	for _, it := range l.items {
		if SameName(it.name, name) {
			return checked(src, slices.Concat(src[:it.span.Start], src[it.span.End:]))
		}
	}
	return src, nil
}

// WithoutLearned is WithoutEntries for all entries of the form that WriteEntry gives.
func WithoutLearned(src []byte) []byte {
	return WithoutEntries(src, func(Entry) bool { return true })
}

// WithoutEntries returns the soul without those entries that drop accepts, for
// asking whether anything else differs: only entries in exactly the form of
// WriteEntry and without anything extra are asked about, and the list's heading goes
// when nothing remains below it. Anything else in the list stays, so nobody can hide
// a change there. Blank lines at the seams and the end are not kept, so the result
// is for comparing only.
func WithoutEntries(src []byte, drop func(Entry) bool) []byte {
	l, ok := findList(src)
	if !ok {
		return trimBlank(src)
	}
	var kept []byte
	kept = append(kept, bytes.TrimSpace(l.intro.Of(src))...)
	at := l.intro.End
	for _, it := range l.items {
		kept = append(kept, src[at:it.span.Start]...)
		if e, canonical := l.canonical(src, it); !canonical || !drop(e) {
			kept = append(kept, it.span.Of(src)...)
		}
		at = it.span.End
	}
	kept = append(kept, src[at:l.section.Body.End]...)
	front, rear := trimBlank(src[:l.section.Heading.Start]), src[l.section.Body.End:]
	if len(bytes.TrimSpace(kept)) > 0 {
		front = slices.Concat(front, []byte("\n\n"), trimBlank(l.section.Heading.Of(src)), []byte("\n\n"), trimBlank(kept))
	}
	if len(bytes.TrimSpace(rear)) > 0 {
		front = slices.Concat(front, []byte("\n\n"), rear)
	}
	return trimBlank(front)
}

// canonical reads an entry and reports that it stands as WriteEntry would write it.
func (l list) canonical(src []byte, it item) (Entry, bool) {
	var ignored diag.List
	e := readEntry(it, src, &ignored)
	text := withEOL(l.fit(bytes.TrimRight(WriteEntry(e), "\n")), lineEnding(it.head.Of(src)))
	return e, len(ignored) == 0 && e.Extra == "" && bytes.Equal(text, trimBlank(it.span.Of(src)))
}

// CheckLimits reports a list of more than most entries.
func CheckLimits(file string, src []byte, most int) diag.List {
	var ds diag.List
	if l, ok := findList(src); ok && len(l.items) > most {
		ds.Errorf(RuleLearnedLimit, diag.Pos{File: file, Line: l.items[most].line},
			"retire capabilities that are no longer used", "%d learned capabilities, at most %d are allowed", len(l.items), most)
	}
	return ds
}
