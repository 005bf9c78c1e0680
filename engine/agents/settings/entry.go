package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Entry is a value at a path of keys in a JSON file, such as mcpServers, assent.
type Entry struct {
	Path []string
	// Value is marshalled.
	Value any
}

// Added records what Set created besides the entry itself, so that Remove can remove it.
type Added struct {
	// File: Set created the file.
	File bool `json:"file,omitempty"`
	// Keys is how many of the path's keys, from the last but one, were not there.
	Keys int `json:"keys,omitempty"`
}

// Get returns the value at the path; nil if there is none.
func (e Entry) Get(src []byte) (json.RawMessage, error) {
	if src == nil {
		return nil, nil
	}
	at, err := readObject(src)
	if err != nil {
		return nil, err
	}
	for i, key := range e.Path {
		m, there, err := at.find(src, key)
		if err != nil || !there {
			return nil, err
		}
		if i == len(e.Path)-1 {
			return src[m.value:m.end], nil
		}
		if at, err = m.in(src); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Set puts an entry into a JSON file; src is nil if the file does not exist. It returns src
// if the entry is already the same.
func (e Entry) Set(src []byte) ([]byte, Added, error) {
	if src == nil {
		text, err := e.text(layout{"  ", "  ", "\n"}, 0)
		return slices.Concat([]byte("{\n  "), text, []byte("\n}\n")), Added{File: true, Keys: len(e.Path) - 1}, err
	}
	at, err := readObject(src)
	if err != nil {
		return nil, Added{}, err
	}
	parent := at
	for i, key := range e.Path {
		m, there, err := parent.find(src, key)
		if err != nil {
			return nil, Added{}, err
		}
		last := i == len(e.Path)-1
		switch {
		case !there:
			out, err := e.insert(src, parent, i)
			return out, Added{Keys: len(e.Path) - 1 - i}, err
		case last:
			return e.replace(src, m, Added{})
		}
		if parent, err = m.in(src); err != nil {
			return nil, Added{}, err
		}
	}
	return src, Added{}, nil
}

// layout is how the lines of a file are written. The zero value writes everything on one line.
type layout struct{ indent, step, nl string }

// insert adds the rest of the path, from key i, as the last member of an object.
func (e Entry) insert(src []byte, parent object, i int) ([]byte, error) {
	nl, outer := newline(src), indentAt(src, parent.open)
	if n := len(parent.members); n > 0 {
		end := parent.members[n-1].end
		l := layout{indentAt(src, parent.members[0].from), unit(src, parent, outer), nl}
		between := "," + nl + l.indent
		if oneLine(src, parent) {
			l, between = layout{}, ", "
		}
		text, err := e.text(l, i)
		return splice(src, end, end, between+string(text)), err
	}
	step := unit(src, parent, outer)
	text, err := e.text(layout{outer + step, step, nl}, i)
	return splice(src, parent.open+1, parent.open+1, nl+outer+step+string(text)+nl+outer), err
}

// replace gives an entry that is there its value, unless it has that.
func (e Entry) replace(src []byte, m member, added Added) ([]byte, Added, error) {
	want, err := json.Marshal(e.Value)
	if err != nil {
		return nil, added, fmt.Errorf("write the entry: %w", err)
	}
	if sameJSON(src[m.value:m.end], want) {
		return src, added, nil
	}
	l := layout{indentAt(src, m.from), "  ", newline(src)}
	if !bytes.Contains(src[m.value:m.end], []byte("\n")) {
		l = layout{}
	}
	text, err := l.write(e.Value)
	return splice(src, m.value, m.end, string(text)), added, err
}

// text is the member from key i on.
func (e Entry) text(l layout, i int) ([]byte, error) {
	value := e.Value
	for _, key := range slices.Backward(e.Path[i+1:]) {
		value = map[string]any{key: value}
	}
	key, err := json.Marshal(e.Path[i])
	if err != nil {
		return nil, fmt.Errorf("write the entry: %w", err)
	}
	text, err := l.write(value)
	return slices.Concat(key, []byte(": "), text), err
}

// write formats a value whose first line is at the layout's indentation.
func (l layout) write(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if l.nl != "" {
		enc.SetIndent(l.indent, l.step)
	}
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the entry: %w", err)
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if l.nl == "\r\n" {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte(l.nl))
	}
	return out, nil
}

// Remove removes an entry from a JSON file, and objects that Set created for it if they are
// empty now. It returns src if the entry does not exist, and nil if the file should be
// deleted.
func (e Entry) Remove(src []byte, added Added) ([]byte, error) {
	root, err := readObject(src)
	if err != nil {
		return nil, err
	}
	parents := []object{root}
	for i, key := range e.Path {
		m, there, err := parents[i].find(src, key)
		if err != nil {
			return nil, err
		}
		if !there {
			return src, nil
		}
		if i == len(e.Path)-1 {
			break
		}
		next, err := m.in(src)
		if err != nil {
			return nil, err
		}
		parents = append(parents, next)
	}
	i := len(e.Path) - 1
	for ; i > 0 && added.Keys > 0 && len(parents[i].members) == 1; i-- {
		added.Keys--
	}
	out := without(src, parents[i], e.Path[i])
	if added.File && i == 0 && len(root.members) == 1 {
		return nil, nil
	}
	return out, nil
}

// without removes a member: exactly what insert added, if nothing changed since.
func without(src []byte, o object, key string) []byte {
	i := slices.IndexFunc(o.members, func(m member) bool { return m.key == key })
	m := o.members[i]
	switch {
	case i > 0:
		return splice(src, o.members[i-1].end, m.end, "")
	case len(o.members) > 1:
		return splice(src, m.from, o.members[1].from, "")
	}
	end := m.end
	if rest, ok := bytes.CutPrefix(src[end:], []byte(newline(src)+indentAt(src, o.open))); ok {
		end = len(src) - len(rest)
	}
	return splice(src, o.open+1, end, "")
}

func splice(src []byte, from, to int, text string) []byte {
	return append(append(append([]byte{}, src[:from]...), text...), src[to:]...)
}

// indentAt is the white space that the line of a place begins with.
func indentAt(src []byte, at int) string {
	line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
	line = bytes.TrimPrefix(line, bom)
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// oneLine reports whether an object with members begins its first member on its own line.
func oneLine(src []byte, o object) bool {
	return !bytes.Contains(src[o.open:o.members[0].from], []byte("\n"))
}

// unit is how far one level is indented in a file.
func unit(src []byte, o object, outer string) string {
	for _, m := range o.members {
		if step, deeper := strings.CutPrefix(indentAt(src, m.from), outer); deeper && step != "" {
			return step
		}
	}
	if root, err := readObject(src); err == nil && len(root.members) > 0 && !oneLine(src, root) {
		if step := indentAt(src, root.members[0].from); step != "" {
			return step
		}
	}
	return "  "
}

// sameJSON compares values, whatever their white space and the order of their keys.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	left, lerr := json.Marshal(x)
	right, rerr := json.Marshal(y)
	return lerr == nil && rerr == nil && bytes.Equal(left, right)
}
