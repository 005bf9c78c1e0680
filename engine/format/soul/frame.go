package soul

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/assent-dev/assent/engine/base/markup"
)

// WithList returns src with its learned list replaced by that of from, byte for byte. If
// from has no list, the result has none and ends like from.
func WithList(src, from []byte) []byte {
	mine, has := findList(src)
	theirs, had := findList(from)
	switch {
	case !has && !had:
		return src
	case !has:
		return slices.Concat(trimBlank(src), []byte("\n\n"), theirs.section.Extent().Of(from))
	}
	front, rear := src[:mine.section.Heading.Start], src[mine.section.Body.End:]
	if had {
		return slices.Concat(front, theirs.section.Extent().Of(from), rear)
	}
	if len(rear) == 0 { // the blank lines above the list came with it
		text := trimBlank(front)
		return slices.Concat(text, from[len(trimBlank(from)):])
	}
	return slices.Concat(front, rear)
}

// ListItems returns the parts of the learned list without surrounding blank lines: the
// introduction, then one text per entry. It returns nil without a list.
func ListItems(src []byte) []string {
	l, ok := findList(src)
	if !ok {
		return nil
	}
	out := []string{string(bytes.TrimSpace(l.intro.Of(src)))}
	for i, it := range l.items {
		stop := l.section.Body.End
		if i+1 < len(l.items) {
			stop = l.items[i+1].span.Start
		}
		out = append(out, string(trimBlank(src[it.span.Start:stop])))
	}
	return out
}

// Frame describes the place of the learned list in src and the blank lines around it: all
// of the text outside of the list that WithoutEntries loses.
func Frame(src []byte) string {
	front, rear := src, []byte(nil)
	if l, ok := findList(src); ok {
		front, rear = src[:l.section.Heading.Start], src[l.section.Body.End:]
	}
	above := markup.Headings(front)
	return fmt.Sprintf("%d %q %q %q", len(above), front[len(trimBlank(front)):],
		rear[:len(rear)-len(bytes.TrimLeft(rear, "\r\n"))], rear[len(trimBlank(rear)):])
}
