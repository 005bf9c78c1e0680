package markup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// The modes of a SectionEdit.
const (
	// Add creates a new section, at the end or after a given one.
	Add = "add"
	// Append adds content at the end of a section's own text. Content that starts with a
	// heading one level below the section's goes after its subsections.
	Append = "append"
	// Replace replaces a section's body including subsections. Of a level 1 section, whose
	// subsections are the document, it replaces only the own text.
	Replace = "replace"
)

// SectionEdit describes an edit of one section.
type SectionEdit struct {
	// Section is a title or slug; for Add, the title of the new section.
	Section string
	Mode    string
	// Content is Markdown without the section's own heading.
	Content []byte
	// Level is the heading level of an added section, 1 to 3; 0 means the level of After's
	// section, or 2.
	Level int
	// After names the section that an added one follows; empty means the end.
	After string
}

// EditSection applies e to src, a Markdown file at path file. All bytes outside the edited
// section stay unchanged, the content gets the line ends of its surroundings, and a file
// without a final newline stays without one. The result is parsed again: the edit is refused if
// any other section would be read differently, or if the number of sections is unexpected. On
// any error the source is returned unchanged.
func EditSection(file string, src []byte, e SectionEdit) ([]byte, diag.List) {
	ed := editor{file: file, src: src, edit: e}
	ed.sections, _ = Sections(src)
	if ed.content(); ed.ds.HasErrors() {
		return src, ed.ds
	}
	var p patch
	switch e.Mode {
	case Add:
		p = ed.add()
	case Append:
		p = ed.append()
	case Replace:
		p = ed.replace()
	default:
		ed.ds.Errorf(RuleSectionEdit, diag.Pos{File: file}, "use add, append or replace", "unknown mode %q", e.Mode)
	}
	if ed.ds.HasErrors() {
		return src, ed.ds
	}
	out := p.apply(src)
	if ed.verify(out, p); ed.ds.HasErrors() {
		return src, ed.ds
	}
	return out, ed.ds
}

// patch replaces the bytes of at by text. Only sections inside at may disappear.
type patch struct {
	at    Span
	text  []byte
	added []int // levels of the sections that the text brings
}

func (p patch) apply(src []byte) []byte {
	return slices.Concat(src[:p.at.Start], p.text, src[p.at.End:])
}

type editor struct {
	file     string
	src      []byte
	edit     SectionEdit
	sections []Section
	body     string // the content, trimmed, with LF line ends
	headings []Heading
	ds       diag.List
}

func (ed *editor) refuse(rule string, line int, fix, format string, args ...any) {
	ed.ds.Errorf(rule, diag.Pos{File: ed.file, Line: line}, fix, format, args...)
}

// content validates the content as if it were a file.
func (ed *editor) content() {
	ed.body = trimBlankLines(strings.ReplaceAll(string(ed.edit.Content), "\r\n", "\n"))
	found := slices.Concat(CheckText("", []byte(ed.body)), closedFrom("", []byte(ed.body), 0))
	for _, d := range found {
		d.Message = fmt.Sprintf("line %d of the content: %s", d.Line, d.Message)
		d.Pos = diag.Pos{File: ed.file}
		ed.ds.Add(d)
	}
	if ed.body == "" && ed.edit.Mode != Replace {
		ed.refuse(RuleSectionEdit, 0, "say what to write", "the edit has no content")
	}
	ed.headings = headingsFrom([]byte(ed.body), 0)
}

// trimBlankLines removes blank lines at both ends, but keeps the significant indentation of the
// first line.
func trimBlankLines(s string) string {
	lines := strings.Split(s, "\n")
	blank := func(l string) bool { return strings.TrimSpace(l) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// find returns the section called name, if there is exactly one.
func (ed *editor) find(name string) (Section, bool) {
	switch at := Find(ed.sections, name); len(at) {
	case 1:
		return ed.sections[at[0]], true
	case 0:
		ed.missing(name)
	default:
		ed.refuse(RuleSectionTwice, ed.sections[at[1]].Line, "rename one of them first",
			"%q means %d sections, the first on line %d", Slug(name), len(at), ed.sections[at[0]].Line)
	}
	return Section{}, false
}

func (ed *editor) missing(name string) {
	titles, slugs := make([]string, len(ed.sections)), make([]string, len(ed.sections))
	for i, s := range ed.sections {
		titles[i], slugs[i] = s.Title, s.Slug
	}
	fix := "add it with mode add; the sections are: " + strings.Join(titles, ", ")
	if near := strictyaml.Nearest(Slug(name), slugs); near != "" {
		fix = fmt.Sprintf("did you mean %q? The sections are: %s", titles[slices.Index(slugs, near)], strings.Join(titles, ", "))
	}
	ed.refuse(RuleSectionMissing, 0, fix, "there is no section %q", name)
}

// admit refuses content that would start sections at or above the edited section's level.
func (ed *editor) admit(level int) []int {
	var added []int
	for _, h := range ed.headings {
		if h.Level <= level {
			ed.refuse(RuleSectionSmuggled, 0, fmt.Sprintf("use headings of level %d and deeper, or propose each section by itself", level+1),
				"line %d of the content is a heading of level %d, which would begin a section of its own", h.Line, h.Level)
		}
		if h.Level <= deepestSection {
			added = append(added, h.Level)
		}
	}
	return added
}

func (ed *editor) verify(out []byte, p patch) {
	after, _ := Sections(out)
	want := p.expect(ed.sections)
	same := slices.EqualFunc(want, after, func(w expected, s Section) bool { return w.matches(s, after) })
	if !same {
		ed.refuse(RuleSectionUnsafe, 0, "close fences, lists and HTML in the content and around the section, and keep heading levels in order",
			"with this content other sections would be read differently (%d sections instead of %d, or other headings)", len(after), len(want))
		return
	}
	ed.ds.Add(CheckClosed(ed.file, out)...)
}

// expected describes a section of the result: its level and, unless it is part of the content,
// its slug and the starts of its heading and its parent's (-1 for none).
type expected struct {
	level   int
	slug    string
	kept    bool
	heading int
	parent  int
}

func (w expected) matches(s Section, all []Section) bool {
	parent := -1
	if s.Parent >= 0 {
		parent = all[s.Parent].Heading.Start
	}
	return w.level == s.Level && (!w.kept || w.slug == s.Slug && w.heading == s.Heading.Start && w.parent == parent)
}

func (p patch) expect(before []Section) []expected {
	moved := func(offset int) int {
		if offset >= p.at.End {
			return offset + len(p.text) - p.at.Len()
		}
		return offset
	}
	var first, last []expected
	for _, s := range before {
		w := expected{level: s.Level, slug: s.Slug, kept: true, heading: moved(s.Heading.Start), parent: -1}
		if s.Parent >= 0 {
			w.parent = moved(before[s.Parent].Heading.Start)
		}
		switch {
		case s.Heading.Start < p.at.Start:
			first = append(first, w)
		case s.Heading.Start >= p.at.End:
			last = append(last, w)
		}
	}
	for _, level := range p.added {
		first = append(first, expected{level: level})
	}
	return append(first, last...)
}

// endOfText returns the end of the last non-blank line in src[from:to], without its line end,
// or from if there is none.
func endOfText(src []byte, from, to int) int {
	text := bytes.TrimRight(src[from:to], " \t\r\n")
	if len(text) == 0 {
		return from
	}
	end := lineEnd(src, from+len(text)-1)
	return trimEOL(src, from, min(end, to))
}
