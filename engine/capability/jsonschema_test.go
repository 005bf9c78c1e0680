package capability_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/capability"
)

func TestSchemasReachNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(file, []byte(`{"type": "string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + filepath.ToSlash(file), filepath.ToSlash(file), "https://example.com/s.json", "other.json"} {
		_, err := capability.CompileSchema(map[string]any{"$ref": ref})
		if err == nil || !strings.Contains(err.Error(), "nothing is loaded from elsewhere") {
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
	for _, loop := range []any{map[string]any{"$ref": "#"}, map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"$ref": "#"}}}} {
		if s, err := capability.CompileSchema(loop); err == nil {
			_ = s.Check(map[string]any{"a": map[string]any{"a": map[string]any{}}}) // must end
		}
	}
}
