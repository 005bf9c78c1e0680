package capability

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
)

// TestMethods: the list of a server's methods is read strictly, of servers only.
func TestMethods(t *testing.T) {
	for src, says := range map[string]string{
		"methods:\n  - {name: a, description: b, input: {type: object}}\n  - {name: B}\n": "",
		"methods: []\n": "no method is listed",
		"methods:\n  - {name: a}\n  - {name: a}\n":                   "methods.yaml:3:5: error: a method without a name",
		"methods:\n  - {name: a}\n  - {name: A}\n":                   "methods.yaml:3:5: error: a method without a name",
		"methods:\n  - {name: delete_all}\n  - {name: delete-all}\n": "methods.yaml:3:5: error: a method without a name",
		"methods:\n  - {name: \"\\u200b\"}\n":                        "methods.yaml:2:5: error: a method without a name",
		"methods:\n  - {description: a}\n":                           "methods.yaml:2:5: error: a method without a name",
		"methods:\n  - {name: a, inputs: {}}\n":                      "inputs",
		"- a\n":                                                      "error",
	} {
		for _, kind := range []string{"mcp", "skill"} {
			_, found, err := Load(tree.MapOf(map[string]string{
				"skills/a/SKILL.md": "---\nname: a\ndescription: Does it. Use it in tests.\n---\n\n# A\n", "skills/a/capability.yaml": "kind: " + kind + "\nversion: 1.0.0\nstatus: researching\n",
				"skills/a/methods.yaml": src,
			}), "skills/a")
			got := ""
			for _, d := range found {
				if d.Pos.File == "skills/a/methods.yaml" {
					got += d.String()
				}
			}
			if err != nil || says == "" && got != "" || kind == "mcp" && !strings.Contains(got, says) || kind == "skill" && got != "" {
				t.Errorf("%s %q: %q, %v, want %q", kind, src, got, err, says)
			}
		}
	}
}

// TestWriteMethods: what a server lists reads back as it was, or is an error.
func TestWriteMethods(t *testing.T) {
	want := []Method{
		{Name: "a", Description: "no\n \t: #'\"\u2028\u200b\r\n", Input: map[string]any{"type": "object", "default": 1.5, "x": map[string]any{"1": []any{true, nil, "null"}}}}, {Name: "é b"},
	}
	text, err := WriteMethods(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, found := parseMethods("methods.yaml", text); len(found) > 0 || !cmp.Equal(got, want) {
		t.Errorf("%s%s%v", text, cmp.Diff(want, got), found)
	}
	for _, methods := range [][]Method{nil, {{}}, {{Name: "a"}, {Name: "a"}}, {{Name: "a_b"}, {Name: "A-b"}}, {{Name: "a", Description: "\xff"}}, {{Name: "a", Description: strings.Repeat("x", 2<<20)}}} {
		if text, err := WriteMethods(methods); err == nil {
			t.Errorf("%v is written as %.100q", methods, text)
		}
	}
}
