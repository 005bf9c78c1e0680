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
	// Own recognises an element that an earlier Set wrote.
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

func (i Item) own(src []byte, l list) int {
	return slices.IndexFunc(l.elements, func(e element) bool { return i.Own(src[e.from:e.end]) })
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
	if n := i.own(src, l); n >= 0 {
		e := l.elements[n]
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
	n := i.own(src, l)
	if n < 0 {
		return src, nil
	}
	e := l.elements[n]
	switch {
	case len(l.elements) == 1:
		return Entry{Path: i.Path}.Remove(src, added)
	case n > 0:
		return splice(src, l.elements[n-1].end, e.end, ""), nil
	}
	return splice(src, e.from, l.elements[1].from, ""), nil
}
