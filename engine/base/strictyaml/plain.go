package strictyaml

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// plain parses the common subset of YAML: mappings of words to one-line text, nested by
// indentation, and lists and mappings in brackets. It costs an eighth of the library, which
// matters when all files of a registry are read. ok is false for anything outside the subset;
// the library must then parse it. Otherwise the nodes equal the library's, which FuzzPlain
// checks. src must have passed checkEncoding.
func plain(src []byte) (root *yaml.Node, ok bool) {
	p := plainReader{src: src}
	root, ok = p.block(0, 1)
	return root, ok && p.at == len(src)
}

// plainDepth bounds the nesting of mappings and lists.
const plainDepth = 8

// plainReader is at an offset of src. A method that returns false stops anywhere, which ends
// the parsing.
type plainReader struct {
	src  []byte
	at   int
	line int // line of at, from 0
	from int // start of that line
}

// block parses a mapping whose keys are indented by the given number of spaces. It stops at the
// first line with another indentation.
func (p *plainReader) block(indent, depth int) (*yaml.Node, bool) {
	p.at += indent
	n := p.node(yaml.MappingNode, "!!map", "")
	p.at -= indent
	for {
		p.at += indent
		key, ok := p.key()
		if !ok || depth > plainDepth {
			return nil, false
		}
		value, ok := p.value(indent, depth)
		if !ok {
			return nil, false
		}
		n.Content = append(n.Content, key, value)
		if p.at == len(p.src) || p.indent() != indent {
			return n, true
		}
	}
}

// indent returns the number of spaces at the start of the line.
func (p *plainReader) indent() int {
	n := 0
	for p.at+n < len(p.src) && p.src[p.at+n] == ' ' {
		n++
	}
	return n
}

// key parses a word and the following colon.
func (p *plainReader) key() (*yaml.Node, bool) {
	key, ok := p.word()
	return key, ok && p.skip(':')
}

// value parses the value after a colon in a block, to the end of the line or of the mapping
// below it.
func (p *plainReader) value(indent, depth int) (*yaml.Node, bool) {
	if p.skip('\n') {
		p.line, p.from = p.line+1, p.at
		if next := p.indent(); next > indent {
			return p.block(next, depth+1)
		}
		return nil, false // null, or a list that is not indented
	}
	if !p.skip(' ') {
		return nil, false
	}
	p.spaces()
	var n *yaml.Node
	var ok bool
	switch p.peek() {
	case '"', '\'':
		n, ok = p.quoted()
	case '[', '{':
		n, ok = p.flow(depth + 1)
	default:
		n, ok = p.text()
	}
	p.spaces()
	switch {
	case !ok:
		return nil, false
	case p.at == len(p.src):
		return n, true
	case p.skip('\n'):
		p.line, p.from = p.line+1, p.at
		return n, true
	}
	return nil, false
}

// text parses an unquoted scalar that ends with the line.
func (p *plainReader) text() (*yaml.Node, bool) {
	text := p.src[p.at:]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	text = bytes.TrimRight(text, " ")
	if len(text) == 0 || !wordByte(text[0]) || !oneLine(text) || text[len(text)-1] == ':' ||
		bytes.Contains(text, []byte(": ")) || bytes.Contains(text, []byte(" #")) {
		return nil, false
	}
	n := p.node(yaml.ScalarNode, "", string(text))
	p.at += len(text)
	return n, true
}

// oneLine reports whether text has no character that some reader treats as a line end, and no
// significant white space.
func oneLine(text []byte) bool {
	for i, c := range text {
		if c < ' ' || c >= 0x80 && breakLen(text[i:]) > 0 {
			return false
		}
	}
	return true
}

// quoted parses a quoted scalar on one line without escapes. Callers refuse a further quote
// after it, which would make the closing one an escape.
func (p *plainReader) quoted() (*yaml.Node, bool) {
	quote, rest := p.src[p.at], p.src[p.at+1:]
	end := bytes.IndexByte(rest, quote)
	if end < 0 || !oneLine(rest[:end]) || quote == '"' && bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	n := p.node(yaml.ScalarNode, "!!str", string(rest[:end]))
	n.Style = yaml.DoubleQuotedStyle
	if quote == '\'' {
		n.Style = yaml.SingleQuotedStyle
	}
	p.at += end + 2
	return n, true
}

// flow parses a list or mapping in brackets, on one line of ASCII characters, so that columns
// are bytes.
func (p *plainReader) flow(depth int) (*yaml.Node, bool) {
	closing := byte(']')
	n := p.node(yaml.SequenceNode, "!!seq", "")
	if p.peek() == '{' {
		closing, n.Kind, n.Tag = '}', yaml.MappingNode, "!!map"
	}
	n.Style = yaml.FlowStyle
	p.at++
	p.spaces()
	if depth > plainDepth || p.skip(closing) {
		return n, depth <= plainDepth
	}
	for {
		if n.Kind == yaml.MappingNode {
			key, ok := p.key()
			if !ok || !p.skip(' ') {
				return nil, false
			}
			n.Content = append(n.Content, key)
			p.spaces()
		}
		item, ok := p.item(depth)
		if !ok {
			return nil, false
		}
		n.Content = append(n.Content, item)
		p.spaces()
		if p.skip(closing) {
			return n, true
		}
		if !p.skip(',') {
			return nil, false
		}
		p.spaces()
	}
}

// item parses one value in brackets.
func (p *plainReader) item(depth int) (*yaml.Node, bool) {
	switch p.peek() {
	case '"', '\'':
		from := p.at
		n, ok := p.quoted()
		return n, ok && bytes.IndexFunc(p.src[from:p.at], func(r rune) bool { return r >= 0x80 }) < 0
	case '[', '{':
		return p.flow(depth + 1)
	default:
		return p.word()
	}
}

// word parses letters, digits and characters that may be anywhere between them.
func (p *plainReader) word() (*yaml.Node, bool) {
	from := p.at
	end := from
	for end < len(p.src) && (wordByte(p.src[end]) || end > from && strings.IndexByte("-./", p.src[end]) >= 0) {
		end++
	}
	if end == from || end-from > plainWord {
		return nil, false
	}
	n := p.node(yaml.ScalarNode, "", string(p.src[from:end]))
	p.at = end
	return n, true
}

// plainWord bounds the length of a word. Keys have a limit, which is larger in the library.
const plainWord = 128

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// node returns a node that starts here. Without a tag it gets the library's tag for the value.
func (p *plainReader) node(kind yaml.Kind, tag, value string) *yaml.Node {
	n := &yaml.Node{Kind: kind, Tag: tag, Value: value, Line: p.line + 1, Column: p.at - p.from + 1}
	if tag == "" {
		n.Tag = n.ShortTag()
	}
	return n
}

// peek returns the next byte, 0 at the end.
func (p *plainReader) peek() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// skip consumes c if it is next.
func (p *plainReader) skip(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *plainReader) spaces() {
	for p.skip(' ') {
	}
}
