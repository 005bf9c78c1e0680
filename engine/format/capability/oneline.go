package capability

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Signature returns input and output in a line: (text: string, delimiter?: string) ->
// object. It is empty if the record has no input.
func (r Record) Signature() string {
	if r.Input == nil {
		return ""
	}
	props, _ := r.Input["properties"].(map[string]any)
	required, _ := r.Input["required"].([]any)
	var must, may []string
	for n, schema := range props {
		if slices.Contains(required, any(n)) {
			must = append(must, n+": "+typeName(schema))
		} else {
			may = append(may, n+"?: "+typeName(schema)+defaultText(schema))
		}
	}
	slices.Sort(must)
	slices.Sort(may)
	out := "(" + strings.Join(slices.Concat(must, may), ", ") + ")"
	if r.Output != nil {
		out += " -> " + typeName(r.Output)
	}
	return out
}

func typeName(schema any) string {
	s, _ := schema.(map[string]any)
	switch t := s["type"].(type) {
	case string:
		if t == "array" && s["items"] != nil {
			return "list of " + typeName(s["items"])
		}
		return t
	case []any:
		var out []string
		for _, e := range t {
			out = append(out, fmt.Sprint(e))
		}
		return strings.Join(out, " or ")
	}
	if values, ok := s["enum"].([]any); ok {
		var out []string
		for _, v := range values {
			out = append(out, jsonText(v))
		}
		return strings.Join(out, " or ")
	}
	return "any"
}

func defaultText(schema any) string {
	s, _ := schema.(map[string]any)
	if v, ok := s["default"]; ok {
		return " = " + jsonText(v)
	}
	return ""
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(text)
}
