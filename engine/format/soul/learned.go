package soul

import (
	"bytes"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
)

// SetLearned inserts e into the list, or replaces the entry of its name. A missing list
// is created at the end of the file. All bytes outside of that entry stay.
func SetLearned(src []byte, e Entry) ([]byte, diag.List) {
	text := bytes.TrimRight(WriteEntry(e), "\n")
	if FoldName(plainWord(e.Name)) == "" {
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

// fit sets the level of an entry's heading to one below the list's.
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

// checked refuses a result with a different list of sections.
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

// RemoveLearned removes the entry of that name from the list, with the blank lines after
// it. An unknown name changes nothing.
func RemoveLearned(src []byte, name string) ([]byte, diag.List) {
	l, _ := findList(src)
	for _, it := range l.items {
		if SameName(it.name, name) {
			return checked(src, slices.Concat(src[:it.span.Start], src[it.span.End:]))
		}
	}
	return src, nil
}

// WithoutEntries returns the soul without the entries that drop accepts, for comparing
// the rest. It asks only about entries in exactly the form of WriteEntry and without
// extra text, and removes the list's heading if nothing remains below it. Other text in
// the list stays, so that no change can hide there. Blank lines at the seams and the end
// are lost, so the result is only for comparison.
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

// canonical reads an entry and reports whether it is in exactly the form of WriteEntry.
func (l list) canonical(src []byte, it item) (Entry, bool) {
	var ignored diag.List
	e := readEntry(it, src, &ignored)
	text := withEOL(l.fit(bytes.TrimRight(WriteEntry(e), "\n")), lineEnding(it.head.Of(src)))
	return e, len(ignored) == 0 && e.Extra == "" && bytes.Equal(text, trimBlank(it.span.Of(src)))
}

// CheckLimits reports a list with more than most entries.
func CheckLimits(file string, src []byte, most int) diag.List {
	var ds diag.List
	if l, ok := findList(src); ok && len(l.items) > most {
		ds.Errorf(RuleLearnedLimit, diag.Pos{File: file, Line: l.items[most].line},
			"retire capabilities that are no longer used", "%d learned capabilities, at most %d are allowed", len(l.items), most)
	}
	return ds
}
