package capability

import (
	"fmt"
	"strings"
	"testing"
)

// TestWeight: a schema that expands without end, or almost so, is refused before use.
// Recursion through a member is a tree and allowed.
func TestWeight(t *testing.T) {
	chain := func(n int, of string) map[string]any {
		defs := map[string]any{fmt.Sprint("d", n): map[string]any{"type": "object"}}
		for i := range n {
			next := map[string]any{"$ref": fmt.Sprint("#/$defs/d", i+1)}
			twice := map[string]any{"allOf": []any{next, next}}
			if of != "allOf" {
				twice = map[string]any{"properties": map[string]any{"a": next}, "patternProperties": map[string]any{"a": next}}
			}
			defs[fmt.Sprint("d", i)] = twice
		}
		return map[string]any{"$ref": "#/$defs/d0", "$defs": defs}
	}
	for name, c := range map[string]struct {
		schema any
		heavy  bool
	}{
		"twice each on one value":  {chain(40, "allOf"), true},
		"twice each on a member":   {chain(40, "properties"), true},
		"few":                      {chain(8, "allOf"), false},
		"the standard's own":       {map[string]any{"$ref": "https://json-schema.org/draft/2020-12/schema"}, false},
		"a tree":                   {map[string]any{"properties": map[string]any{"left": map[string]any{"$ref": "#"}, "right": map[string]any{"$ref": "#"}}}, false},
		"many members, used again": {map[string]any{"items": map[string]any{"$ref": "#/$defs/m"}, "contains": map[string]any{"$ref": "#/$defs/m"}, "$defs": map[string]any{"m": map[string]any{"enum": []any{"x"}}}}, false},
	} {
		s, err := CompileSchema(c.schema)
		if (err != nil) != c.heavy || err != nil && !strings.Contains(err.Error(), "expands to more than") {
			t.Errorf("%s: %v", name, err)
		}
		if s != nil {
			_ = s.Check(map[string]any{"a": 1})
		}
	}
}
