package gc

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
)

// TestUncovered: a case matters again if only broken ways have it, or if none has it and something needs
// what it tests.
func TestUncovered(t *testing.T) {
	suite := func(cases ...string) capability.Suite {
		text := "cases:\n"
		for _, c := range cases {
			text += "  - {name: " + c + ", input: {rope: 1}, expect: {equals: {knot: 1}}}\n"
		}
		c, _, err := capability.Load(tree.MapOf(map[string]string{"skills/knot/tests.yaml": text}), "skills/knot")
		if err != nil || len(c.Suite.Cases) != len(cases) {
			t.Fatal(c.Suite, err)
		}
		return c.Suite
	}
	named := func(name, broken string, cases ...string) way {
		return way{Entry: index.Entry{Folder: capability.Folder{Name: name}}, suite: suite(cases...), broken: broken}
	}
	for name, c := range map[string]struct {
		ways  []way
		needs string
		want  string // words of the lines
	}{
		"a way has it":             {[]way{named("reef", "", "ties")}, "moor requires knot", ""},
		"a broken one has it":      {[]way{named("reef", "is in quarantine", "ties")}, "", "reef"},
		"one of two is broken":     {[]way{named("reef", "is in quarantine", "ties"), named("bow", "", "ties")}, "", ""},
		"the other lacks it":       {[]way{named("reef", "is in quarantine", "ties"), named("bow", "", "holds")}, "", "reef"},
		"both are broken":          {[]way{named("reef", "is in quarantine", "ties"), named("bow", "is retired", "ties")}, "", "reef bow"},
		"none has it":              {nil, "", ""},
		"none has it, and is need": {nil, "moor requires knot", "moor"},
		"the rest is another case": {[]way{named("reef", "is in quarantine", "holds")}, "", ""},
	} {
		got, _ := uncovered(suite("ties"), c.ways, c.needs)
		if (len(got) > 0) != (c.want != "") {
			t.Errorf("%s: %q", name, got)
		}
		for _, word := range strings.Fields(c.want) {
			if !strings.Contains(strings.Join(got, "\n"), word) {
				t.Errorf("%s: %q lacks %s", name, got, word)
			}
		}
	}
}
