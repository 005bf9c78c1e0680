package scan

import (
	"path"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/assent-dev/assent/engine/base/plaintext"
)

// spelled applies the table to the decoded values in double quotes of a front matter and of a record.
// Each agent reads a description without its quotes, which do not mark a quotation, and with its
// escapes undone, so that "\x49gnore" is the same word to it. If the raw file has the same finding,
// merged reports it once.
func (m *machine) spelled(d *document) []finding {
	if d.depth > 0 {
		return nil
	}
	values := quotedValues(d)
	if len(values) == 0 {
		return nil
	}
	for _, v := range values { // add the text that an escape hides
		for _, form := range forms() {
			if plain, ok := plaintext.Of(v.text, form); ok {
				values = append(values, quotedValue{span: v.span, text: plain.String()})
			}
		}
	}
	var b strings.Builder
	for i := range values {
		values[i].at = b.Len()
		b.WriteString(values[i].text)
		b.WriteString("\n\n")
	}
	inner := newDocument("decoded.md", b.String(), nil)
	inner.depth, inner.front, inner.budget = d.depth+1, 0, d.budget
	var found []finding
	for _, f := range m.scan(inner) {
		if f.rule.Layer == Readable {
			continue
		}
		v := values[sort.Search(len(values), func(i int) bool { return values[i].at > f.start })-1]
		out := match{start: v.start, end: v.end, severity: f.severity, confidence: f.confidence, message: f.message, evidence: f.evidence}
		if out.message == "" {
			out.message = f.rule.Summary
		}
		switch from := f.start - v.at; {
		case v.plain:
			out.start, out.end = v.start+1+from, min(v.start+1+from+f.end-f.start, v.end)
		case out.evidence == "":
			out.evidence = "reads: " + strings.TrimSpace(inner.text[f.start:f.end])
		}
		found = append(found, finding{f.rule, out})
	}
	return found
}

// quotedValue is a value in double quotes: its place in the document, its decoded text, whether the
// text is the same as the source between the quotes, and its offset in the joined text of all values.
type quotedValue struct {
	span
	text  string
	plain bool
	at    int
}

// sampleKeys are keys of a record whose values are data that a tool is tried with or compares, not
// text for agents. Such data may hold any character, and needs escapes to write it. Below examples,
// only the descriptions are text.
var sampleKeys = []string{"const", "default", "enum", "match", "pattern"}

// quotedValues finds the values in double quotes of the front matter, or of a capability's record.
func quotedValues(d *document) []quotedValue {
	s := span{0, len(d.text)}
	switch {
	case d.front > 0:
		s = span{strings.IndexByte(d.text, '\n') + 1, d.front}
	case path.Base(d.path) != "capability.yaml":
		return nil
	}
	text := d.text[s.start:s.end]
	if len(text) > maxConfiguration || !strings.Contains(text, `"`) || deepText(text) || strings.Count(text, "*") > 200 && strings.Contains(text, "&") {
		return nil
	}
	var root yaml.Node
	if yaml.Unmarshal([]byte(text), &root) != nil {
		return nil // neither assent nor an agent reads it
	}
	v := valueWalk{configuration: configuration{d: d, base: s.start, text: text}}
	v.node(&root, 0)
	return v.values
}

// valueWalk gathers the values in double quotes of one text.
type valueWalk struct {
	configuration
	values []quotedValue
}

func (e *valueWalk) node(n *yaml.Node, depth int) {
	if e.nodes++; e.nodes > maxNodes || depth > 40 {
		return
	}
	if n.Kind == yaml.ScalarNode && n.Style&yaml.DoubleQuotedStyle != 0 {
		at := e.quoted(n)
		e.values = append(e.values, quotedValue{span: at, text: n.Value, plain: e.d.text[at.start:at.end] == `"`+n.Value+`"`})
	}
	for i, child := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode || i%2 == 0:
			e.node(child, depth+1)
		case n.Content[i-1].Value == "examples":
			for _, example := range child.Content {
				e.described(example, depth+1)
			}
		case !slices.Contains(sampleKeys, n.Content[i-1].Value):
			e.node(child, depth+1)
		}
	}
}

// described reads the descriptions of an example.
func (e *valueWalk) described(example *yaml.Node, depth int) {
	for i := 0; example.Kind == yaml.MappingNode && i+1 < len(example.Content); i += 2 {
		if example.Content[i].Value == "description" {
			e.node(example.Content[i+1], depth+1)
		}
	}
}

// quoted returns the place of a value in double quotes, with its quotes.
func (c *configuration) quoted(n *yaml.Node) span {
	start, line := c.place(n.Line, n.Column)
	if i := strings.IndexByte(c.d.text[start:line], '"'); i >= 0 { // columns count characters
		start += i
	}
	for end := start + 1; end < c.base+len(c.text); end++ {
		switch c.d.text[end] {
		case '\\':
			end++
		case '"':
			return span{start, end + 1}
		}
	}
	return span{start, line}
}
