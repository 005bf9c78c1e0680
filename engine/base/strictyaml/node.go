package strictyaml

import (
	"bytes"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/diag"
)

// Kind is the kind of a Node.
type Kind int

// The kinds of nodes. A lookup that finds nothing returns an absent node.
const (
	Absent Kind = iota
	Null
	Scalar
	Sequence
	Mapping
)

var kindNames = [...]string{"nothing", "nothing", "a single value", "a list", "a mapping"}

// String describes the kind for messages: "a list", "nothing".
func (k Kind) String() string { return kindNames[k] }

// Node is one value of a document, with aliases resolved. The zero Node is
// absent. A struct field of type Node receives its value undecoded.
type Node struct {
	n   *yaml.Node
	doc *Doc
}

// Kind returns the kind of the node.
func (n Node) Kind() Kind {
	t := n.target()
	if t == nil {
		return Absent
	}
	switch t.Kind {
	case yaml.MappingNode:
		return Mapping
	case yaml.SequenceNode:
		return Sequence
	default:
		if isNull(t) {
			return Null
		}
		return Scalar
	}
}

func (n Node) target() *yaml.Node {
	t := n.n
	for t != nil && t.Kind == yaml.AliasNode {
		t = t.Alias
	}
	return t
}

// Pos returns the position of the value, or of the alias that refers to it.
func (n Node) Pos() diag.Pos {
	if n.n == nil {
		return diag.Pos{}
	}
	return n.doc.lines.mark(n.n.Line, n.n.Column)
}

// Text returns the characters of a scalar without quotes and escapes. quoted reports whether it
// had quotes or was a block. Text is "" for other nodes.
func (n Node) Text() (text string, quoted bool) {
	if n.Kind() != Scalar {
		return "", false
	}
	t := n.target()
	return t.Value, isQuoted(t)
}

// Len returns the number of entries of a sequence or mapping, else 0.
func (n Node) Len() int {
	switch n.Kind() {
	case Sequence:
		return len(n.target().Content)
	case Mapping:
		return len(n.target().Content) / 2
	default:
		return 0
	}
}

// Index returns entry i of a sequence, or an absent node.
func (n Node) Index(i int) Node {
	if n.Kind() != Sequence || i < 0 || i >= n.Len() {
		return Node{}
	}
	return Node{n.target().Content[i], n.doc}
}

// Entry returns key and value number i of a mapping in file order, or absent nodes.
func (n Node) Entry(i int) (key, value Node) {
	if n.Kind() != Mapping || i < 0 || i >= n.Len() {
		return Node{}, Node{}
	}
	c := n.target().Content
	return Node{c[2*i], n.doc}, Node{c[2*i+1], n.doc}
}

// Key returns a mapping's key as written, or "" if n is not a scalar.
func (n Node) Key() string {
	if t := n.target(); t != nil && t.Kind == yaml.ScalarNode {
		return t.Value
	}
	return ""
}

// Get returns the value under key, or an absent node.
func (n Node) Get(key string) Node {
	_, v := n.lookup(key)
	return v
}

// lookup reads a mapping once, so that the places of all its entries are found in linear time.
func (n Node) lookup(key string) (k, v Node) {
	if n.Kind() != Mapping {
		return Node{}, Node{}
	}
	return n.Entry(n.doc.entry(n.target(), key))
}

// Pos returns the position of the value at path: strings are keys, ints are list indexes. The
// position of a mapping entry is that of its key. An empty path is the document. If the path
// does not exist, Pos returns the nearest position above.
func (d *Doc) Pos(path ...any) diag.Pos {
	at, pos := d.Root(), d.Root().Pos()
	for _, step := range path {
		var next Node
		switch s := step.(type) {
		case string:
			var key Node
			if key, next = at.lookup(s); key.n != nil {
				pos = key.Pos()
			}
		case int:
			if next = at.Index(s); next.n != nil {
				pos = next.Pos()
			}
		}
		if next.n == nil {
			return pos
		}
		at = next
	}
	return pos
}

// ValuePos is Pos for the value instead of its key.
func (d *Doc) ValuePos(path ...any) diag.Pos {
	at := d.Root()
	for _, step := range path {
		var next Node
		switch s := step.(type) {
		case string:
			next = at.Get(s)
		case int:
			next = at.Index(s)
		}
		if next.n == nil {
			return d.Pos(path...)
		}
		at = next
	}
	return at.Pos()
}

// Flow reports whether a list or mapping is written in brackets or braces.
func (n Node) Flow() bool {
	t := n.target()
	return t != nil && t.Style&yaml.FlowStyle != 0
}

// Within returns the position of a character of a scalar; line and column count characters of
// Text from 1. It is exact in literal blocks (|) and in one-line values up to the first escape.
// Otherwise it returns the start of the value.
func (n Node) Within(line, column int) diag.Pos {
	t := n.target()
	if n.Kind() != Scalar || n.n != t || line < 1 || column < 1 {
		return n.Pos()
	}
	x := n.doc.lines
	if t.Style&yaml.LiteralStyle != 0 {
		return x.mark(t.Line+line, x.indent(t.Line)+column)
	}
	before := string([]rune(t.Value)[:min(column-1, utf8.RuneCountInString(t.Value))])
	skip := 0
	if t.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		skip = 1
	}
	if begin := x.byteAt(t.Line, t.Column) + skip; line > 1 || !bytes.HasPrefix(x.src[min(begin, len(x.src)):], []byte(before)) {
		return n.Pos()
	}
	return x.mark(t.Line, t.Column+skip+column-1)
}
