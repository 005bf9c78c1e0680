package soul

import (
	"bytes"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/markup"
)

const protectedWhy = "protected sections say who an agent is and what it must not do; an agent must not rewrite them by itself"

// CompareProtected reports every protected section whose bytes in head differ from base,
// at head's file and line. A section may be changed, removed, added, duplicated, put
// under another heading, hidden (in code, HTML or a quotation), imitated (a heading that
// readers take for a protected one although it is not a section), or given other link
// targets. Blank lines after a section are not part of it, and its place among its
// siblings does not matter. A nil base is a new file, in which nothing was protected yet.
func CompareProtected(file string, base, head []byte, protected []string) diag.List {
	if base == nil {
		return nil
	}
	c := comparison{
		file: file, base: base, head: head, names: protectedSet(protected), reported: map[int]bool{},
		titled: sync.OnceValue(func() map[string]int { return titledLines(head) }),
	}
	before, after := ProtectedSections(base, protected), ProtectedSections(head, protected)
	before, after = c.unmatched(before, after)
	for _, b := range before {
		after = c.changed(b, after)
	}
	for _, a := range after {
		c.report(a.Line, "remove the section, or propose it for people to approve",
			"adds a protected section %q", a.Title)
	}
	//defence:imitations-are-found
	c.imitations()
	//defence:links-of-protected-sections
	c.links(protected)
	c.ds.Sort()
	return c.ds
}

type comparison struct {
	file       string
	base, head []byte
	names      map[string]bool
	ds         diag.List
	reported   map[int]bool
	// titled has the first line of head that looks like a heading, by the heading's slug.
	titled func() map[string]int
}

func titledLines(src []byte) map[string]int {
	out := map[string]int{}
	for _, l := range headingLines(src, true) {
		if _, known := out[unnumbered(l.slug)]; !known {
			out[unnumbered(l.slug)] = l.line
		}
	}
	return out
}

func (c *comparison) report(line int, fix, format string, args ...any) {
	c.ds.Errorf(RuleProtected, diag.Pos{File: c.file, Line: line}, fix, format, args...)
	c.ds[len(c.ds)-1].Why = protectedWhy
	c.reported[line] = true
}

// unmatched removes pairs of equal sections, in order, and returns the rest. A pair under
// different headings is reported.
func (c *comparison) unmatched(before, after []Region) (gone, extra []Region) {
	for _, b := range before {
		same := func(a Region) bool {
			return a.Slug == b.Slug && bytes.Equal(trimBlank(a.Span.Of(c.head)), trimBlank(b.Span.Of(c.base)))
		}
		i := slices.IndexFunc(after, func(a Region) bool { return same(a) && a.path == b.path })
		if i < 0 {
			if i = slices.IndexFunc(after, same); i >= 0 {
				c.report(after[i].Line, "put it back where it stood",
					"puts the protected section %q under other headings", b.Title)
			}
		}
		if i < 0 {
			gone = append(gone, b)
			continue
		}
		after = slices.Delete(after, i, i+1)
	}
	return gone, after
}

// trimBlank removes trailing blank lines and the last line end: they separate sections
// and change with a neighbour.
func trimBlank(b []byte) []byte {
	for len(b) > 0 {
		start := bytes.LastIndexByte(bytes.TrimRight(b, "\r\n"), '\n') + 1
		if len(bytes.TrimSpace(b[start:])) > 0 {
			break
		}
		b = b[:start]
	}
	return bytes.TrimRight(b, "\r\n")
}

// changed reports a section of base without an equal one in head. It is changed if head
// has a section of that name, which is then removed from after; otherwise it is hidden or
// removed.
func (c *comparison) changed(b Region, after []Region) []Region {
	i := slices.IndexFunc(after, func(a Region) bool { return a.Slug == b.Slug })
	if i >= 0 {
		line := after[i].Line + firstDifference(trimBlank(b.Span.Of(c.base)), trimBlank(after[i].Span.Of(c.head)))
		c.report(line, "undo the change in this section, or propose it for people to approve",
			"changes the protected section %q", b.Title)
		return slices.Delete(after, i, i+1)
	}
	if line, ok := c.titled()[b.Slug]; ok {
		c.report(line, "take it out of the code, HTML, list or quotation around it",
			"hides the protected section %q: it is no section any more", b.Title)
		return after
	}
	c.report(0, "put the section back", "removes the protected section %q", b.Title)
	return after
}

// firstDifference counts the equal lines at the beginning.
func firstDifference(a, b []byte) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return n
		}
		if b[i] == '\n' {
			n++
		}
	}
	return n
}

// imitations reports lines that readers take for the heading of a protected section, if
// head has more of them than base.
func (c *comparison) imitations() {
	had := map[string]int{}
	for _, l := range c.imitating(c.base) {
		had[l.text]++
	}
	for _, l := range c.imitating(c.head) {
		if had[l.text]--; had[l.text] < 0 && !c.reported[l.line] {
			c.report(l.line, "give the heading another name", "imitates a protected section: %q", l.text)
		}
	}
}

// imitating lists the lines that look like the heading of a protected section, by name or
// letter by letter, but are not.
func (c *comparison) imitating(src []byte) []headingLine {
	latin := lookalikes()
	var out []headingLine
	for _, l := range headingLines(src, false) {
		slug := unnumbered(l.slug)
		real := c.names[slug]
		if real && !l.section || !real && c.names[latin.Replace(slug)] {
			out = append(out, l)
		}
	}
	return out
}

// links reports definitions that change what a protected section links to.
func (c *comparison) links(protected []string) {
	before, after := markup.References(c.base), markup.References(c.head)
	for _, r := range ProtectedSections(c.head, protected) {
		for _, label := range linkLabels(r.Span.Of(c.head)) {
			if before[label] != after[label] && !c.reported[r.Line] {
				c.report(r.Line, "keep the definition of the link as it was",
					"changes where [%s] in the protected section %q leads", label, r.Title)
			}
		}
	}
}
