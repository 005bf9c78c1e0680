package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var entry = Entry{Path: []string{"mcpServers", "assent"}, Value: map[string]any{"command": "assent", "args": []string{"mcp"}}}

// TestSet: an entry joins a file in the file's own style, and leaves it as it was.
func TestSet(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"no file":     {"\x00", "{\n  \"mcpServers\": {\n    \"assent\": {\n      \"args\": [\n        \"mcp\"\n      ],\n      \"command\": \"assent\"\n    }\n  }\n}\n"},
		"empty":       {"{}", "{\n  \"mcpServers\": {\n    \"assent\": {\n      \"args\": [\n        \"mcp\"\n      ],\n      \"command\": \"assent\"\n    }\n  }\n}"},
		"one line":    {`{"a": 1}`, `{"a": 1, "mcpServers": {"assent":{"args":["mcp"],"command":"assent"}}}`},
		"tabs":        {"{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}\n", "{\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t\t\"assent\": {\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t],\n\t\t\t\"command\": \"assent\"\n\t\t}\n\t}\n}\n"},
		"line ends":   {"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"assent\": {\r\n      \"args\": [\r\n        \"mcp\"\r\n      ],\r\n      \"command\": \"assent\"\r\n    }\r\n  }\r\n}\r\n"},
		"empty there": {"{\n    \"mcpServers\": {}\n}", "{\n    \"mcpServers\": {\n        \"assent\": {\n            \"args\": [\n                \"mcp\"\n            ],\n            \"command\": \"assent\"\n        }\n    }\n}"},
		"a mark":      {"\ufeff{\"a\":1}", "\ufeff{\"a\":1, \"mcpServers\": {\"assent\":{\"args\":[\"mcp\"],\"command\":\"assent\"}}}"},
	} {
		t.Run(name, func(t *testing.T) {
			src := []byte(c.src)
			if c.src == "\x00" {
				src = nil
			}
			out, added, err := entry.Set(src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(out)); diff != "" {
				t.Error(diff)
			}
			again, nothing, err := entry.Set(out)
			if err != nil || !bytes.Equal(again, out) || nothing != (Added{}) {
				t.Errorf("set again: %v %+v\n%s", err, nothing, again)
			}
			back, err := entry.Remove(out, added)
			if err != nil || !bytes.Equal(back, src) || (back == nil) != (src == nil) {
				t.Errorf("removed: %v\n%q", err, back)
			}
		})
	}
}

// TestReplace: a differing entry gets the new value, and everything else stays.
func TestReplace(t *testing.T) {
	out, _, err := entry.Set([]byte(`{"mcpServers": {"x": 1, "assent": {"command": "old"}, "y": 2}, "z": []}`))
	want := `{"mcpServers": {"x": 1, "assent": {"args":["mcp"],"command":"assent"}, "y": 2}, "z": []}`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	back, err := entry.Remove(out, Added{})
	if want := `{"mcpServers": {"x": 1, "y": 2}, "z": []}`; err != nil || string(back) != want {
		t.Errorf("%v\n%s", err, back)
	}
	first, err := entry.Remove([]byte("{\"mcpServers\": {\n  \"assent\": 1,\n  \"y\": 2\n}}"), Added{})
	if want := "{\"mcpServers\": {\n  \"y\": 2\n}}"; err != nil || string(first) != want {
		t.Errorf("%v\n%s", err, first)
	}
	same := []byte(`{"a": 1}`)
	if got, err := entry.Remove(same, Added{}); err != nil || !bytes.Equal(got, same) {
		t.Errorf("nothing to remove: %v %s", err, got)
	}
}

// TestUnreadable: a file that is no plain JSON is refused with its line.
func TestUnreadable(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		line int
		says string
	}{
		"a comment":             {"{\n  // mine\n  \"a\": 1\n}", 2, "comment"},
		"a comment at the end":  {"{}\n/* bye */", 2, "comment"},
		"a hash":                {"# x\n{}", 1, "comment"},
		"a comma too many":      {"{\n  \"a\": 1,\n}", 3, "string in double quotes"},
		"a comma missing":       {"{\n  \"a\": 1\n  \"b\": 2\n}", 3, "expected"},
		"no quotes":             {"{a: 1}", 1, "string in double quotes"},
		"single quotes":         {"{'a': 1}", 1, "string in double quotes"},
		"cut off":               {"{\n  \"a\": {\n", 3, "string in double quotes"},
		"an open string":        {"{\n\"a\": \"x\n}", 2, "closing quote"},
		"a bad escape":          {"{\"a\": \"\\x\"}", 1, "does not allow"},
		"no object":             {"[]", 1, "an object is expected"},
		"nothing":               {"", 1, "an object is expected"},
		"two values":            {"{}\n{}", 2, "more after"},
		"a word":                {"{\"a\": undefined}", 1, "no JSON"},
		"a number":              {"{\"a\": 01}", 1, "no JSON"},
		"a key twice":           {"{\"mcpServers\": {},\n\"mcpServers\": {}}", 2, "twice"},
		"the entry twice":       {"{\"mcpServers\": {\"assent\": 1,\n\n\"assent\": 2}}", 3, "twice"},
		"not an object in it":   {"{\n\"mcpServers\": []}", 2, "no object"},
		"not UTF-8":             {"{\n\"a\": \"\xff\"}", 2, "UTF-8"},
		"too deep":              {"{\"a\": " + strings.Repeat("[", 600), 1, "deep"},
		"a comment in an array": {"{\"a\": [1, // one\n2]}", 1, "comment"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, edit := range []func([]byte) ([]byte, error){
				func(src []byte) ([]byte, error) { out, _, err := entry.Set(src); return out, err },
				func(src []byte) ([]byte, error) { return entry.Remove(src, Added{}) },
			} {
				out, err := edit([]byte(c.src))
				var f *Fault
				if !errors.As(err, &f) || f.Line != c.line || !strings.Contains(f.What, c.says) || f.Fix == "" || out != nil {
					t.Errorf("%v (fault %+v), %q", err, f, out)
				}
			}
		})
	}
}

// spaces are how generated files are laid out.
func spaces(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\n\t", "\r\n  ", "\n    "}).Draw(t, label)
}

// document is an object in some layout.
func document(t *rapid.T, depth int) string {
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "mcpServers", "assent", "é\\n", "x y"}), 0, 4, rapid.ID).Draw(t, "keys")
	var b strings.Builder
	b.WriteString("{" + spaces(t, "open"))
	for i, key := range keys {
		if i > 0 {
			b.WriteString("," + spaces(t, "between"))
		}
		value := rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null", `"t"`, "[]", `[ {"a":1 } , 2]`, "{}", "{ }"}).Draw(t, "value")
		if depth < 3 && (key == "mcpServers" || rapid.Bool().Draw(t, "nest")) {
			value = document(t, depth+1)
		}
		fmt.Fprintf(&b, "%q%s:%s%s%s", strings.ReplaceAll(key, `\n`, "\n"), spaces(t, "colon"), spaces(t, "before"), value, spaces(t, "after"))
	}
	return b.String() + "}"
}

// TestSetIsUndone: for any file, setting changes nothing but the entry, is done once, and is undone
// byte for byte.
func TestSetIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(spaces(t, "lead") + document(t, 0) + spaces(t, "trail"))
		var before map[string]any
		if err := json.Unmarshal(src, &before); err != nil {
			t.Skip(err)
		}
		out, added, err := entry.Set(src)
		var f *Fault
		if errors.As(err, &f) && f.What == `"mcpServers" is no object` {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var after map[string]any
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		servers, _ := before["mcpServers"].(map[string]any)
		_, had := servers["assent"]
		if servers == nil {
			servers = map[string]any{}
			before["mcpServers"] = servers
		}
		servers["assent"] = map[string]any{"command": "assent", "args": []any{"mcp"}}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%s\n%s", diff, out)
		}
		if again, nothing, err := entry.Set(out); err != nil || !bytes.Equal(again, out) || nothing != (Added{}) {
			t.Fatalf("again: %v %+v\n%q\n%q", err, nothing, out, again)
		}
		if had {
			return
		}
		if back, err := entry.Remove(out, added); err != nil || !bytes.Equal(back, src) {
			t.Fatalf("undone: %v\n%q\n%q\n%q", err, src, out, back)
		}
	})
}

func FuzzEntry(f *testing.F) {
	for _, seed := range []string{"{}", `{"mcpServers":{"assent":1}}`, "{\n\t\"a\": [1, {}]\r\n}", "{//\n}", "\ufeff{}", `{"a":"\u00e9\\"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, added, err := entry.Set(src)
		if err != nil {
			return
		}
		if !json.Valid(bytes.TrimPrefix(out, bom)) {
			t.Fatalf("%q became %q", src, out)
		}
		if back, err := entry.Remove(out, added); err != nil || (added.Keys > 0 && !bytes.Equal(back, src)) {
			t.Fatalf("%q became %q, and then %q (%v)", src, out, back, err)
		}
	})
}
