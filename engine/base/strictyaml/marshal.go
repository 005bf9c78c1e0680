package strictyaml

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// Marshal encodes v as canonical YAML: block style, two spaces, struct fields in order of
// declaration, map keys sorted, quotes only where some reader would not see text. Struct fields
// are those of Decode; ",omitempty" omits zero values and empty lists and maps. Types with
// MarshalText are encoded as text. Parsing the result gives v again; a value that YAML cannot
// express exactly (text that is not UTF-8, NaN, functions) is an error.
func Marshal(v any) ([]byte, error) {
	n, err := build(reflect.ValueOf(v), 0)
	if err != nil {
		return nil, fmt.Errorf("writing %T as YAML: %w", v, err)
	}
	style(n)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return nil, fmt.Errorf("writing %T as YAML: %w", v, err)
	}
	var back yaml.Node
	if err := yaml.Unmarshal(b.Bytes(), &back); err != nil {
		return nil, fmt.Errorf("reading back %T as YAML: %w", v, err)
	}
	if len(back.Content) != 1 || !same(n, back.Content[0]) {
		return nil, fmt.Errorf("writing %T as YAML: a value has no exact form", v)
	}
	return b.Bytes(), nil
}

// style selects the notation of each value.
func style(n *yaml.Node) {
	if n.Kind != yaml.ScalarNode {
		n.Style = 0
		if len(n.Content) == 0 {
			n.Style = yaml.FlowStyle // {} and []: block style has no empty form
		}
		for i, c := range n.Content {
			style(c)
			if n.Kind == yaml.MappingNode && i%2 == 0 && c.Style == yaml.LiteralStyle {
				c.Style = yaml.DoubleQuotedStyle // a key cannot be a block
			}
		}
		return
	}
	if n.Tag != "!!str" {
		return
	}
	switch {
	case literalSafe(n.Value):
		n.Style = yaml.LiteralStyle
	case plainSafe(n.Value):
		n.Style = 0
	default:
		n.Style = yaml.DoubleQuotedStyle
	}
}

// literalSafe reports whether s is text of several lines that a literal block preserves
// exactly.
func literalSafe(s string) bool {
	lines := strings.Split(s, "\n")
	if len(lines) < 2 || lines[0] == "" || strings.HasPrefix(s, " ") || strings.HasSuffix(s, "\n\n") || !visible(s) {
		return false
	}
	return !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, " ") || strings.HasPrefix(l, "\t") })
}

// plainSafe reports whether s is text of one line that every reader treats as text. It errs on
// the side of quotes: text that starts like syntax is quoted.
func plainSafe(s string) bool {
	if s == "" || classify(s) != classText || !visible(s) || strings.TrimSpace(s) != s || strings.Contains(s, "\n") {
		return false
	}
	if strings.ContainsAny(s[:1], "-?:,[]{}#&*!|>'\"%@`<=~.") || strings.HasSuffix(s, ":") {
		return false
	}
	return !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// visible reports whether s has only visible characters that every reader preserves, and line
// feeds.
func visible(s string) bool {
	for _, r := range s {
		if r != '\n' && (!unicode.IsPrint(r) || r == unicode.ReplacementChar) {
			return false
		}
	}
	return true
}

func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Kind == yaml.ScalarNode && (a.Value != b.Value || a.ShortTag() != b.ShortTag()) {
		return false
	}
	return slices.EqualFunc(a.Content, b.Content, same)
}
