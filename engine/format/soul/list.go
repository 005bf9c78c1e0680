package soul

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/markup"
)

// list is the learned section of a file.
type list struct {
	section markup.Section
	// intro covers the section's text before the first entry.
	intro markup.Span
	items []item
}

// item is the place of one entry: from its heading to the next heading of the same or a
// higher level, or to the end of the list.
type item struct {
	name string
	line int
	head markup.Span
	span markup.Span
}

// findList returns the first section with the title of the learned list.
func findList(src []byte) (list, bool) {
	sections, _ := markup.Sections(src)
	for _, i := range markup.Find(sections, LearnedTitle) {
		return readList(src, sections[i]), true
	}
	return list{}, false
}

func readList(src []byte, s markup.Section) list {
	l := list{section: s, intro: s.Body}
	var open *item
	level := 0
	for _, h := range markup.Headings(src) {
		if h.Span.Start < s.Body.Start || h.Span.Start >= s.Body.End {
			continue
		}
		if open != nil && h.Level <= level {
			open.span.End = h.Span.Start
			open = nil
		}
		name, ok := entryName(h.Title)
		if !ok || open != nil {
			continue
		}
		if len(l.items) == 0 {
			l.intro.End = h.Span.Start
		}
		l.items = append(l.items, item{name, h.Line, h.Span, markup.Span{Start: h.Span.Start, End: s.Body.End}})
		open, level = &l.items[len(l.items)-1], h.Level
	}
	return l
}

// entryName parses "Capability: name", with or without marks around the name.
func entryName(title string) (string, bool) {
	if len(title) < len(entryPrefix) || !strings.EqualFold(title[:len(entryPrefix)], entryPrefix) {
		return "", false
	}
	name := strings.Trim(title[len(entryPrefix):], " \t`*")
	return name, name != ""
}
