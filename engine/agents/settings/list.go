package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Item is one element of a list at a path of keys in a JSON file, such as hooks, SessionStart. Other
// elements of the list stay as they are.
type Item struct {
	Path []string
	// Value is marshalled.
	Value any
	// In is a key of the elements that leads to a list, such as hooks: there Own looks. Others may add to that list.
	In string
	// Own recognises what an earlier Set wrote: an element, or with In an element of its list.
	Own func(value json.RawMessage) bool
}

// list is an array with the places of its brackets and of its elements.
type list struct {
	open     int
	elements []element
}

type element struct{ from, end int }

// find returns the list; there is false if the path leads to nothing.
func (i Item) find(src []byte) (l list, there bool, err error) {
	at, err := readObject(src)
	if err != nil {
		return l, false, err
	}
	for n, key := range i.Path {
		m, there, err := at.find(src, key)
		if err != nil || !there {
			return l, false, err
		}
		if n == len(i.Path)-1 {
			l, err = m.list(src)
			return l, err == nil, err
		}
		if at, err = m.in(src); err != nil {
			return l, false, err
		}
	}
	return l, false, nil
}

// list reads the array that is a member's value.
func (m member) list(src []byte) (list, error) {
	l := list{open: m.value}
	s := &scanner{src: src, at: m.value}
	if s.peek() != '[' {
		return l, fault(src, m.value, notJSON, "%s is no list", quoted(m.key))
	}
	for s.at++; ; s.at++ {
		if err := s.space(); err != nil {
			return l, err
		}
		if s.peek() == ']' {
			return l, nil
		}
		from := s.at
		if err := s.value(1, nil); err != nil {
			return l, err
		}
		l.elements = append(l.elements, element{from, s.at})
		if err := s.space(); err != nil {
			return l, err
		}
		if s.peek() == ']' {
			return l, nil
		}
	}
}

// own returns the number of the element that an earlier Set wrote, or in which it wrote, else -1. If others have a part in it,
// shared is its list, and at the place there.
func (i Item) own(src []byte, l list) (n int, shared list, at int) {
	for n, e := range l.elements {
		if i.In == "" {
			if i.Own(src[e.from:e.end]) {
				return n, shared, 0
			}
			continue
		}
		o, err := member{value: e.from}.in(src)
		m, there, twice := o.find(src, i.In)
		if err != nil || !there || twice != nil {
			continue
		}
		in, err := m.list(src)
		if err != nil {
			continue
		}
		at := slices.IndexFunc(in.elements, func(e element) bool { return i.Own(src[e.from:e.end]) })
		switch {
		case at < 0:
		case len(in.elements) == 1:
			return n, shared, 0
		default:
			return n, in, at
		}
	}
	return -1, shared, 0
}

// without removes one of several elements.
func (l list) without(src []byte, n int) []byte {
	if n > 0 {
		return splice(src, l.elements[n-1].end, l.elements[n].end, "")
	}
	return splice(src, l.elements[0].from, l.elements[1].from, "")
}

// sharedAsIs reports whether an element that others have a part in is the item but for that part.
func (i Item) sharedAsIs(src []byte, e element, in list, at int, want []byte) bool {
	alone := src[e.from:in.elements[0].from]
	alone = slices.Concat(alone, src[in.elements[at].from:in.elements[at].end], src[in.elements[len(in.elements)-1].end:e.end])
	return sameJSON(alone, want)
}

// Set puts the item into a JSON file; nil is a file that is not there. Where the item is the same
// already, it returns src.
func (i Item) Set(src []byte) ([]byte, Added, error) {
	whole := Entry{i.Path, []any{i.Value}}
	if src == nil {
		return whole.Set(nil)
	}
	l, there, err := i.find(src)
	if err != nil {
		return nil, Added{}, err
	}
	if !there {
		return whole.Set(src)
	}
	want, err := json.Marshal(i.Value)
	if err != nil {
		return nil, Added{}, fmt.Errorf("write the item: %w", err)
	}
	if n, in, at := i.own(src, l); n >= 0 {
		e := l.elements[n]
		if in.elements != nil {
			if i.sharedAsIs(src, e, in, at, want) {
				return src, Added{}, nil
			}
			return i.Set(in.without(src, at))
		}
		if sameJSON(src[e.from:e.end], want) {
			return src, Added{}, nil
		}
		text, err := i.text(src, e.from)
		return splice(src, e.from, e.end, text), Added{}, err
	}
	if len(l.elements) == 0 {
		text, err := layout{}.write(i.Value)
		return splice(src, l.open+1, l.open+1, string(text)), Added{}, err
	}
	first, last := l.elements[0], l.elements[len(l.elements)-1]
	between := ", "
	if bytes.Contains(src[l.open:first.from], []byte("\n")) {
		between = "," + newline(src) + indentAt(src, first.from)
	}
	text, err := i.text(src, first.from)
	return splice(src, last.end, last.end, between+text), Added{}, err
}

// text is the item in the style of the element that begins at a place.
func (i Item) text(src []byte, at int) (string, error) {
	l := layout{}
	if line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]; len(bytes.TrimSpace(line)) == 0 {
		l = layout{indentAt(src, at), "  ", newline(src)}
	}
	text, err := l.write(i.Value)
	return string(text), err
}

// Remove removes the item from a JSON file, and the parts that Set created for it if they are
// empty by then. It returns src if the item is not there, and nil if the file is to be removed.
func (i Item) Remove(src []byte, added Added) ([]byte, error) {
	l, there, err := i.find(src)
	if err != nil || !there {
		return src, err
	}
	n, in, at := i.own(src, l)
	switch {
	case n < 0:
		return src, nil
	case in.elements != nil:
		return in.without(src, at), nil
	case len(l.elements) == 1:
		return Entry{Path: i.Path}.Remove(src, added)
	}
	return l.without(src, n), nil
}
