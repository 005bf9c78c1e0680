package markup

import (
	"bytes"
	"strings"
)

func (ed *editor) add() patch {
	title := strings.Join(strings.Fields(ed.edit.Section), " ")
	e := ed.edit
	if at := Find(ed.sections, title); len(at) > 0 {
		ed.refuse(RuleSectionExists, ed.sections[at[0]].Line, "use mode append or replace", "there is a section %q already", title)
		return patch{}
	}
	level, at := 2, len(ed.src)
	if e.After != "" {
		s, ok := ed.find(e.After)
		if !ok {
			return patch{}
		}
		level = s.Level
		if e.Level != 0 {
			level = e.Level
		}
		at = ed.endOfLevel(s, level)
	} else if e.Level != 0 {
		level = e.Level
	}
	heading := strings.Repeat("#", max(level, 1)) + " " + title
	made := headingsFrom([]byte(heading), 0)
	if level < 1 || level > deepestSection || len(made) != 1 || made[0].Title != title || Slug(title) == "" {
		ed.refuse(RuleSectionEdit, 0, "give a title in words, without marks around it, and a level from 1 to 3",
			"%q cannot be the heading of a section of level %d", title, level)
		return patch{}
	}
	added := append([]int{level}, ed.admit(level)...)
	p := ed.splice(bodyStart(ed.src), at, heading+"\n\n"+ed.body, "\n\n")
	p.added = added
	return p
}

// endOfLevel returns where a section of the given level can follow s without adopting the
// sections after it: the end of s or of an enclosing section.
func (ed *editor) endOfLevel(s Section, level int) int {
	for s.Level > level && s.Parent >= 0 {
		s = ed.sections[s.Parent]
	}
	return s.Body.End
}

func (ed *editor) append() patch {
	s, ok := ed.find(ed.edit.Section)
	if !ok {
		return patch{}
	}
	added := ed.admit(s.Level)
	at := s.Own.End
	if len(ed.headings) > 0 && ed.headings[0].Line == 1 && ed.headings[0].Level == s.Level+1 {
		at = s.Body.End
	}
	p := ed.splice(s.Own.Start, at, ed.body, ed.gap(s.Own.Start, at))
	p.added = added
	return p
}

// gap returns the separator between existing text and appended content: a blank line, unless
// both are items of one list, which a blank line would loosen.
func (ed *editor) gap(from, to int) string {
	end := endOfText(ed.src, from, to)
	last := ed.src[max(lineStart(ed.src, end), from):end]
	if m := marker(last); m != 0 && m == marker([]byte(ed.body)) {
		return "\n"
	}
	return "\n\n"
}

func marker(line []byte) byte {
	if len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		return line[0]
	}
	return 0
}

func (ed *editor) replace() patch {
	s, ok := ed.find(ed.edit.Section)
	if !ok {
		return patch{}
	}
	body := s.Body
	if s.Level == 1 {
		body = s.Own
	}
	added := ed.admit(s.Level)
	end := endOfText(ed.src, body.Start, body.End)
	if end == body.Start {
		p := ed.splice(body.Start, body.End, ed.body, "\n\n")
		p.added = added
		return p
	}
	if ed.body == "" {
		return patch{at: ed.emptySpan(body, end), added: added}
	}
	// Keep the blank lines around the old text, so that restoring the old text restores the old
	// bytes.
	start := firstText(ed.src, body.Start)
	return patch{at: Span{start, end}, text: ed.render(start, end, body.End, ed.body, ed.gapAfter(body.End)), added: added}
}

// emptySpan returns the bytes to remove with the text of a body that ends at end, including the
// blank lines before it and its line end; at the end of a file without final newline, the
// heading's line end.
func (ed *editor) emptySpan(body Span, end int) Span {
	if end == len(ed.src) {
		return Span{trimEOL(ed.src, 0, body.Start), end}
	}
	return Span{body.Start, lineEnd(ed.src, end)}
}

// gapAfter returns how many line ends replaced text needs before what follows at offset: one
// before an ATX heading, which ends a paragraph, else two. Content that ends in HTML would
// otherwise swallow the heading.
func (ed *editor) gapAfter(offset int) int {
	for _, s := range ed.sections {
		if s.Heading.Start == offset && bytes.Count(s.Heading.Of(ed.src), []byte{'\n'}) <= 1 {
			if len(headingsFrom([]byte(ed.body+"\n# a\n"), 0)) == len(ed.headings)+1 {
				return 1
			}
		}
	}
	return 2
}

// firstText returns the start of the first non-blank line from offset on.
func firstText(src []byte, offset int) int {
	blank := len(src[offset:]) - len(bytes.TrimLeft(src[offset:], " \t\r\n"))
	return max(lineStart(src, offset+blank), offset)
}

// splice inserts content after the text of src[from:to] and before its trailing blank lines;
// gap goes between text and content.
func (ed *editor) splice(from, to int, content, gap string) patch {
	at := endOfText(ed.src, from, to)
	if at == from && at > 0 {
		at = trimEOL(ed.src, 0, at) // move to the line of the heading or delimiter
	}
	if at > 0 && content != "" {
		content = gap + content
	}
	if len(ed.src) == 0 {
		content += "\n"
	}
	return patch{at: Span{at, at}, text: ed.render(at, at, to, content, 2)}
}

// render gives text that replaces src[start:end] the line ends of its surroundings, and at
// least gap line ends before the section that starts at limit.
func (ed *editor) render(start, end, limit int, text string, gap int) []byte {
	if need := gap - bytes.Count(ed.src[end:limit], []byte{'\n'}); limit < len(ed.src) && need > 0 {
		text += strings.Repeat("\n", need)
	}
	return []byte(strings.ReplaceAll(text, "\n", ed.eolAt(start)))
}

// eolAt returns the line end of the line before or at offset.
func (ed *editor) eolAt(offset int) string {
	if line := ed.src[lineStart(ed.src, offset):lineEnd(ed.src, offset)]; bytes.HasSuffix(line, []byte{'\n'}) {
		return eolOf(line)
	}
	if at := lineStart(ed.src, offset); at > 0 {
		return eolOf(ed.src[:at])
	}
	return "\n"
}
