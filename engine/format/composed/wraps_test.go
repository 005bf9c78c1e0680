package composed

import (
	"strings"
	"testing"
)

// TestWraps checks which programs only pass a call on.
func TestWraps(t *testing.T) {
	const says = "x.star:"
	for name, tc := range map[string]struct {
		body string
		want bool
	}{
		"all of it":               {"return tools.pears(**input)", true},
		"the input itself":        {"return tools.pears(input)", true},
		"each member":             {"return tools.pears(a = input[\"a\"], b = (input.get(\"b\")))", true},
		"by way of a name":        {"\"\"\"Does it.\"\"\"\n  out = tools.pears(**input)\n  return out", true},
		"a method":                {"return tools.files__read_file(**input)", true},
		"another name":            {"return tools.pears(kind = input[\"a\"])", false},
		"a default":               {"return tools.pears(a = input.get(\"a\", 1))", false},
		"something more":          {"return tools.pears(a = input[\"a\"], b = 1)", false},
		"a part of the answer":    {"return tools.pears(**input)[\"x\"]", false},
		"two calls":               {"return tools.pears(**tools.plums(**input))", false},
		"a look first":            {"if not input:\n    fail(\"empty\")\n  return tools.pears(**input)", false},
		"no input":                {"return tools.pears()", false},
		"nothing comes back":      {"tools.pears(**input)", false},
		"something else returned": {"out = tools.pears(**input)\n  return input", false},
		"no call":                 {"return input", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, found := Parse("x.star", []byte("\"\"\"A tool.\"\"\"\n\ndef main(input):\n  "+tc.body+"\n"))
			if p == nil {
				t.Fatal(found)
			}
			if tc.want != (len(found) == 1) {
				t.Fatalf("found %v, want it pointed out: %v", found, tc.want)
			}
			if !tc.want {
				return
			}
			d := found[0]
			if d.Rule != RuleWraps || found.HasErrors() || !strings.HasPrefix(d.Pos.String(), says) || !strings.Contains(d.Message+d.Fix, p.Calls()[0].Name) {
				t.Fatalf("%+v", d)
			}
		})
	}
	beside := "N = 1\n\ndef main(input):\n  return tools.pears(**input)\n"
	if _, found := Parse("x.star", []byte(beside)); len(found) != 0 {
		t.Error("with something beside main:", found)
	}
	wrong := "def main(input):\n  return tools.pears(**input)\n\n'a' + b\n"
	if _, found := Parse("x.star", []byte(wrong)); len(found) == 0 || found[0].Rule != RuleSyntax {
		t.Error("an error comes first:", found)
	}
}
