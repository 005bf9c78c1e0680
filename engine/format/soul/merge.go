package soul

import (
	"bytes"
	"slices"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
)

// MergeLearned merges two descendants of base that may both have learned something.
// Outside of the list of learned capabilities only one side may have changes. Within it,
// entries merge by name, each as a whole. If both sides changed the same part
// differently, ok is false and the diagnostics name it. The result has ours' order,
// followed by theirs' new entries.
func MergeLearned(base, ours, theirs []byte) (merged []byte, ok bool, ds diag.List) {
	b, o, t := split(base), split(ours), split(theirs)
	m := merging{ds: &ds}
	frame := m.pick("the text outside the list", b.frame(), o.frame(), t.frame())
	from := o
	if !bytes.Equal(frame, o.frame()) {
		from = t
	}
	intro := m.pick("the introduction of the list", b.intro, o.intro, t.intro)
	entries := m.entries(b, o, t)
	if len(ds) > 0 {
		return nil, false, ds
	}
	out := from.with(intro, entries)
	if got := split(out); len(got.entries) != len(entries) || !bytes.Equal(got.frame(), frame) && from.heading != nil {
		ds.Errorf(markup.RuleSectionUnsafe, diag.Pos{}, "merge the two by hand", "the merged list would be read differently")
		return nil, false, ds
	}
	return out, true, nil
}

// parts is a soul split at its learned list. Entry texts have no surrounding blank lines;
// tail is the text after the list.
type parts struct {
	front, heading, intro, tail []byte
	names                       []string
	entries                     map[string][]byte
	eol                         string
}

func split(src []byte) parts {
	p := parts{entries: map[string][]byte{}, eol: lineEnding(src[:bytes.IndexByte(src, '\n')+1])}
	l, ok := findList(src)
	if !ok {
		p.front = src
		return p
	}
	end := l.section.Heading.Start + len(trimBlank(l.section.Extent().Of(src)))
	p.front, p.heading, p.tail = src[:l.section.Heading.Start], trimBlank(l.section.Heading.Of(src)), src[end:]
	p.intro = trimBlank(bytes.TrimLeft(l.intro.Of(src), "\r\n"))
	for i, it := range l.items {
		stop := l.section.Body.End
		if i+1 < len(l.items) {
			stop = l.items[i+1].span.Start // text between entries belongs to the one before
		}
		name := FoldName(it.name)
		p.names = append(p.names, name)
		p.entries[name] = append(p.entries[name], trimBlank(src[it.span.Start:stop])...)
	}
	p.names = slices.Compact(p.names)
	return p
}

// frame returns everything outside of the list, for comparison. A missing list and one at
// the end of the file frame the same text.
func (p parts) frame() []byte {
	return slices.Concat(trimBlank(p.front), []byte("\n"), trimBlank(bytes.TrimLeft(p.tail, "\r\n")))
}

// with inserts a list into the soul.
func (p parts) with(intro []byte, entries [][]byte) []byte {
	gap := []byte(p.eol + p.eol)
	heading, front, tail := p.heading, p.front, p.tail
	if heading == nil {
		if len(entries) == 0 && len(intro) == 0 {
			return p.front
		}
		text := trimBlank(front)
		heading, front, tail = []byte("## "+LearnedTitle), slices.Concat(text, gap), front[len(text):]
	}
	out := slices.Concat(front, heading)
	for _, block := range append([][]byte{intro}, entries...) {
		if len(block) > 0 {
			out = slices.Concat(out, gap, block)
		}
	}
	return append(out, tail...)
}

type merging struct{ ds *diag.List }

// pick merges one value three-way.
func (m merging) pick(what string, base, ours, theirs []byte) []byte {
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(theirs, base):
		return ours
	case bytes.Equal(ours, base):
		return theirs
	}
	m.ds.Errorf(RuleLearnedEntry, diag.Pos{}, "rebase the proposal and decide which of the two stands",
		"both sides changed %s", what)
	return nil
}

func (m merging) entries(b, o, t parts) [][]byte {
	var out [][]byte
	seen := map[string]bool{}
	for _, name := range slices.Concat(o.names, t.names) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if text := m.pick("the entry of "+name, b.entries[name], o.entries[name], t.entries[name]); len(text) > 0 {
			out = append(out, text)
		}
	}
	return out
}
