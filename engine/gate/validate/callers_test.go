package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/validate"
)

// A caller that the change touches without changing its code counts as changed: the code
// that it calls is new.
func TestTouchedCaller(t *testing.T) {
	a, err := txtar.ParseFile("testdata/called.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base, head, _ := split(t, a)
	for _, c := range run(t, base, head).Report.Changes.Capabilities {
		if c.SameCode {
			t.Errorf("%s is taken for what it was", c.Name)
		}
	}
}

// Of many callers the nearest are listed, and the others counted.
func TestManyCallers(t *testing.T) {
	tool := func(name, code string) []tree.Edit {
		dir := "skills/" + name + "/"
		return []tree.Edit{
			{Path: dir + "SKILL.md", Content: []byte("---\nname: " + name + "\ndescription: Ties " + name + " to a mast. Use it before a storm.\n---\n\n# X\n")},
			{Path: dir + "capability.yaml", Content: []byte("kind: tool\nversion: 1.0.0\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\ninput: {type: object}\n")},
			{Path: dir + "scripts/main.star", Content: []byte("def main(input):\n    return " + code + "\n")},
		}
	}
	edits := append(tool("knot", "1"), tool("a-far", "tools.t_24()")...)
	for i := range 25 {
		edits = append(edits, tool(fmt.Sprintf("t_%02d", i), "tools.knot()")...)
	}
	base := tree.NewMap(edits...)
	report := run(t, base, tree.NewMap(append(edits, tool("knot", "2")...)...)).Report
	c := report.Changes
	if len(c.Callers) != 20 || c.CallersLeft != 6 || c.Callers[0].Name != "t_00" || c.Callers[19].Name != "t_19" {
		t.Errorf("%d listed, %d counted: %v", len(c.Callers), c.CallersLeft, c.Callers)
	}
	said := ""
	for _, d := range report.Diagnostics {
		if d.Rule == validate.RuleCalled {
			said += d.Message + "\n"
		}
	}
	if strings.Count(said, "t_") != 20 || !strings.Contains(said, "and 6 more call") {
		t.Error(said)
	}
}
