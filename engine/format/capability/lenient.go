package capability

import (
	"encoding/json"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/strictyaml"
)

// asText renders any value as text: a scalar as written, a list of scalars joined by ",
// ", anything deeper as JSON.
func asText(n strictyaml.Node) string {
	switch n.Kind() {
	case strictyaml.Scalar:
		text, _ := n.Text()
		return text
	case strictyaml.Sequence:
		if items, ok := scalars(n); ok {
			return strings.Join(items, ", ")
		}
		return asJSON(n)
	case strictyaml.Mapping:
		return asJSON(n)
	default:
		return ""
	}
}

// asList renders a list of words as one space-separated string.
func asList(n strictyaml.Node) string {
	if items, ok := scalars(n); ok {
		return strings.Join(items, " ")
	}
	return asText(n)
}

// asStrings renders a mapping as strings; it returns nil for anything else.
func asStrings(n strictyaml.Node) map[string]string {
	if n.Kind() != strictyaml.Mapping {
		return nil
	}
	out := make(map[string]string, n.Len())
	for i := range n.Len() {
		key, value := n.Entry(i)
		out[key.Key()] = asText(value)
	}
	return out
}

func scalars(n strictyaml.Node) ([]string, bool) {
	if n.Kind() != strictyaml.Sequence {
		return nil, false
	}
	items := make([]string, 0, n.Len())
	for i := range n.Len() {
		if n.Index(i).Kind() != strictyaml.Scalar {
			return nil, false
		}
		text, _ := n.Index(i).Text()
		items = append(items, text)
	}
	return items, true
}

// asJSON renders a value as compact JSON, scalars of unclear type as strings.
func asJSON(n strictyaml.Node) string {
	out, err := json.Marshal(plain(n))
	if err != nil { // text, lists and mappings always have a JSON form
		return ""
	}
	return string(out)
}

func plain(n strictyaml.Node) any {
	switch n.Kind() {
	case strictyaml.Mapping:
		m := make(map[string]any, n.Len())
		for i := range n.Len() {
			key, value := n.Entry(i)
			m[key.Key()] = plain(value)
		}
		return m
	case strictyaml.Sequence:
		list := make([]any, n.Len())
		for i := range list {
			list[i] = plain(n.Index(i))
		}
		return list
	case strictyaml.Scalar:
		var doubts diag.List
		if v := n.Value(&doubts); len(doubts) == 0 {
			return v
		}
		text, _ := n.Text()
		return text
	default:
		return nil
	}
}
