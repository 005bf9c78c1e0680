package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep a file nests.
const maxDepth = 500

// member is a key of an object with the places of its key and its value.
type member struct {
	key              string
	from, value, end int // start of key and value, and end of the value
}

// object is an object with the places of its braces, and its members in their order.
type object struct {
	open    int
	members []member
}

// scanner walks over JSON and knows the place of everything.
type scanner struct {
	src []byte
	at  int
}

const notJSON = "make it plain JSON, or add the entry by hand"

func (s *scanner) fault(format string, args ...any) error {
	return fault(s.src, s.at, notJSON, format, args...)
}

// space goes to the next token.
func (s *scanner) space() error {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case c == '/' || c == '#':
			return s.fault("a comment, which JSON does not have: it could not be kept in its place")
		default:
			return nil
		}
	}
	return nil
}

// value scans one value. If it is an object, its members are stored in each, unless that is
// nil.
func (s *scanner) value(depth int, each *object) error {
	if depth > maxDepth {
		return s.fault("it nests more than %d deep", maxDepth)
	}
	if err := s.space(); err != nil {
		return err
	}
	if s.at == len(s.src) {
		return s.fault("it ends where a value should be")
	}
	switch s.src[s.at] {
	case '{':
		return s.object(depth, each)
	case '[':
		return s.array(depth)
	case '"':
		_, err := s.text()
		return err
	}
	return s.word()
}

// object goes over an object.
func (s *scanner) object(depth int, each *object) error {
	var own object
	if each == nil {
		each = &own
	}
	each.open, each.members = s.at, nil
	s.at++
	for {
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == '}' && len(each.members) == 0 {
			break
		}
		var m member
		var err error
		m.from = s.at
		if m.key, err = s.text(); err != nil {
			return err
		}
		if err := s.mark(':', "after the key "+quoted(m.key)); err != nil {
			return err
		}
		if err := s.space(); err != nil {
			return err
		}
		m.value = s.at
		if err := s.value(depth+1, nil); err != nil {
			return err
		}
		m.end = s.at
		each.members = append(each.members, m)
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == '}' {
			break
		}
		if err := s.mark(',', "or } after a value"); err != nil {
			return err
		}
	}
	s.at++
	return nil
}

func (s *scanner) array(depth int) error {
	s.at++
	for n := 0; ; n++ {
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == ']' && n == 0 {
			break
		}
		if err := s.value(depth+1, nil); err != nil {
			return err
		}
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == ']' {
			break
		}
		if err := s.mark(',', "or ] after a value"); err != nil {
			return err
		}
	}
	s.at++
	return nil
}

// peek is the byte at hand; 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

// mark goes over one expected character.
func (s *scanner) mark(c byte, where string) error {
	if err := s.space(); err != nil {
		return err
	}
	if s.peek() != c {
		return s.fault("%c is expected %s", c, where)
	}
	s.at++
	return nil
}

// text scans a string and returns its value.
func (s *scanner) text() (string, error) {
	if s.peek() != '"' {
		return "", s.fault("a string in double quotes is expected")
	}
	from := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case '\n':
			return "", s.fault("a string without its closing quote")
		case '"':
			s.at++
			var out string
			if err := json.Unmarshal(s.src[from:s.at], &out); err != nil {
				s.at = from
				return "", s.fault("a string that JSON does not allow: %v", err)
			}
			return out, nil
		}
	}
	s.at = from
	return "", s.fault("a string without its closing quote")
}

// word goes over a number, true, false or null.
func (s *scanner) word() error {
	from := s.at
	for s.at < len(s.src) && !strings.ContainsRune(" \t\r\n,:{}[]\"/#", rune(s.src[s.at])) {
		s.at++
	}
	if word := s.src[from:s.at]; !json.Valid(word) {
		s.at = from
		if len(word) == 0 {
			return s.fault("a value is expected here")
		}
		return s.fault("%s is no JSON", quoted(string(word)))
	}
	return nil
}

// quoted shows some text of a file, cut.
func quoted(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(text, "�"))
}

// bom is the byte order mark that some editors write.
var bom = []byte("\ufeff")

// readObject reads a whole file that must be one object.
func readObject(src []byte) (object, error) {
	var root object
	s := &scanner{src: src}
	if !utf8.Valid(src) {
		for s.at < len(src) {
			r, size := utf8.DecodeRune(src[s.at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			s.at += size
		}
		return root, fault(src, s.at, "save it as UTF-8", "it is not UTF-8")
	}
	if bytes.HasPrefix(src, bom) {
		s.at = len(bom)
	}
	if err := s.space(); err != nil {
		return root, err
	}
	if s.peek() != '{' {
		return root, s.fault("an object is expected")
	}
	if err := s.value(0, &root); err != nil {
		return root, err
	}
	if err := s.space(); err != nil {
		return root, err
	}
	if s.at != len(src) {
		return root, s.fault("there is more after the object")
	}
	return root, nil
}

// in reads the object that is a member's value.
func (m member) in(src []byte) (object, error) {
	var out object
	s := &scanner{src: src, at: m.value}
	if s.peek() != '{' {
		return out, fault(src, m.value, notJSON, "%s is no object", quoted(m.key))
	}
	return out, s.value(0, &out)
}

// find returns the member with a key. A duplicate key is a fault: programs differ in which
// one counts.
func (o object) find(src []byte, key string) (m member, ok bool, err error) {
	for _, have := range o.members {
		if have.key != key {
			continue
		}
		if ok {
			return m, ok, fault(src, have.from, "remove one of them", "the key %s occurs twice", quoted(key))
		}
		m, ok = have, true
	}
	return m, ok, nil
}
