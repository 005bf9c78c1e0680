package capability_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
)

func TestSchemasReachNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type": "string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + filepath.ToSlash(file), filepath.ToSlash(file), "https://example.com/s.json", "other.json"} {
		_, err := capability.CompileSchema(map[string]any{"$ref": ref})
		if err == nil || !strings.Contains(err.Error(), "external schemas are not loaded") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func TestSchemaCheck(t *testing.T) {
	s, err := capability.CompileSchema(map[string]any{
		"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "maximum": 7}}, "required": []any{"n"}, "additionalProperties": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(map[string]any{"n": int64(7)}); err != nil {
		t.Error(err)
	}
	for _, bad := range []any{nil, "x", map[string]any{}, map[string]any{"n": 8}, map[string]any{"n": 1.5}, map[string]any{"n": 1, "m": 2}, map[string]any{"n": make(chan int)}} {
		if err := s.Check(bad); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestSchemaNumbers: a number that costs the validator more than its length, or breaks it, is refused,
// alone and in lists.
func TestSchemaNumbers(t *testing.T) {
	s, err := capability.CompileSchema(map[string]any{"items": map[string]any{"minimum": 0, "multipleOf": 3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"1e401", "1E+10000001", "1e-999999", "1.5e99999999999999999999", strings.Repeat("3", 401), "0." + strings.Repeat("3", 1<<20)} {
		for _, doc := range []string{number, "[" + number + "]", `{"a": [` + number + `]}`} {
			if _, err := s.Faults(json.RawMessage(doc)); err == nil {
				t.Errorf("%.40s is accepted", doc)
			}
		}
	}
	for _, number := range []string{"3", "3e300", "-9.5", strings.Repeat("3", 400)} {
		if _, err := s.Faults(json.RawMessage("[" + number + "]")); err != nil {
			t.Errorf("%.40s: %v", number, err)
		}
	}
}

// TestSchemaLoops: a schema that refers back to itself for the same value is refused.
// Recursion through a member or an element is a tree.
func TestSchemaLoops(t *testing.T) {
	type m = map[string]any
	ref := func(to string) m { return m{"$ref": to} }
	for name, c := range map[string]struct {
		schema m
		says   string
	}{
		"itself":           {ref("#"), "# refers back to itself"},
		"two in a member":  {m{"properties": m{"a": ref("#/$defs/a")}, "$defs": m{"a": ref("#/$defs/b"), "b": ref("#/$defs/a")}}, "#/$defs/a refers back"},
		"in a choice":      {m{"properties": m{"a": m{"anyOf": []any{m{"type": "string"}, ref("#/properties/a")}}}}, "refers back"},
		"in a condition":   {m{"items": m{"if": m{"type": "string"}, "then": ref("#/items")}}, "refers back"},
		"in what depends":  {m{"dependentSchemas": m{"a": ref("#")}}, "refers back"},
		"under a pattern":  {m{"patternProperties": m{"^a": m{"not": ref("#/patternProperties/^a")}}}, "refers back"},
		"in elements":      {m{"prefixItems": []any{m{"allOf": []any{ref("#/prefixItems/0")}}}}, "refers back"},
		"in further ones":  {m{"additionalProperties": m{"oneOf": []any{ref("#/additionalProperties")}}}, "refers back"},
		"a tree":           {m{"properties": m{"a": ref("#")}, "additionalProperties": false}, ""},
		"a list of trees":  {m{"properties": m{"a": m{"items": ref("#")}}}, ""},
		"the same twice":   {m{"allOf": []any{ref("#/$defs/a"), ref("#/$defs/a")}, "$defs": m{"a": m{"type": "object"}}}, ""},
		"a schema's own":   {ref("https://json-schema.org/draft/2020-12/schema"), ""},
		"no schema":        {m{"type": "spell"}, "/type: value must be one of 'array'"},
		"nowhere":          {ref("#/$defs/none"), `json-pointer in "#/$defs/none" not found`},
		"of another file":  {ref("other.json"), "$ref other.json points outside of this file"},
		"of another place": {ref("https://example.org/s.json"), "$ref https://example.org/s.json points outside of this file"},
	} {
		s, err := capability.CompileSchema(c.schema)
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "assent:")) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		if err == nil {
			_ = s.Check(m{"a": m{"a": m{}}})
		}
	}
}
