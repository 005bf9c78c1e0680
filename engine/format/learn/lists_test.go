package learn_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/learn"
	"github.com/assent-dev/assent/engine/format/soul"
)

const (
	ready   = "kind: tool\nversion: 1.0.0\nstatus: active\nrun: {runtime: python, entry: scripts/hum.py}\ninput: {type: object}\n"
	unready = "kind: tool\nversion: 0.1.0\nstatus: developing\nrun: {runtime: python, entry: scripts/hum.py}\ninput: {type: object}\n"
	spec    = "kind: tool\nversion: 0.1.0\nstatus: researching\ninput: {type: object}\noutput: {type: object}\n"
)

// TestWritten: a capability is learned once it can be used, not before.
func TestWritten(t *testing.T) {
	tool := func(record, list string) *tree.Map {
		files := map[string]string{"skills/hum/SKILL.md": skill, "soul/scout/SOUL.md": "# Scout\n\nCalm.\n" + list}
		if record != "" {
			files["skills/hum/capability.yaml"] = record
		}
		if strings.Contains(record, "run:") {
			files["skills/hum/scripts/hum.py"] = "print(1)\n"
		}
		return tree.MapOf(files)
	}
	list := func(record string) string {
		v := view(t, map[string]string{"skills/hum/capability.yaml": record, "skills/hum/scripts/hum.py": "print(1)\n"})
		return "\n## Learned Capabilities\n\n" + string(soul.WriteEntry(entry(t, v, "2026-03-10")))
	}
	nothing := tree.MapOf(map[string]string{"soul/scout/SOUL.md": "# Scout\n\nCalm.\n"})
	for _, tc := range []struct {
		name       string
		base, head *tree.Map
		want       string // a part of the written text; "" for none
	}{
		{"a tool", nothing, tool(ready, ""), "**Status**: active"},
		{"a template", nothing, tool(unready, ""), ""},
		{"a specification", nothing, tool(spec, ""), ""},
		{"a template that is filled in", tool(unready, ""), tool(ready, ""), "**Status**: active"},
		{"a specification that is implemented", tool(spec, ""), tool(ready, ""), "**Status**: active"},
		{"a template that stays one", tool(unready, ""), tool(strings.Replace(unready, "0.1.0", "0.1.1", 1), ""), ""},
		{"a tool that is to be repaired", tool(ready, list(ready)), tool(unready, list(ready)), "**Status**: developing"},
		{"a tool that has no code any more", tool(ready, list(ready)), tool(spec, list(ready)), "Calm.\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			exists, err := tree.Exists(tc.base, "skills/hum/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			step := learn.Step{Name: "hum", Dir: "skills/hum", Added: !exists}
			l := learn.Lists{Base: tc.base, View: tc.head, Steps: []learn.Step{step}, Learner: "scout", Day: "2026-03-10"}
			out, err := l.Written()
			got := string(out["soul/scout/SOUL.md"])
			if err != nil || !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
				t.Fatalf("%q, %v", got, err)
			}
			if tc.want == "Calm.\n" && strings.Contains(got, "hum") {
				t.Errorf("a specification stays learned: %q", got)
			}
		})
	}
	// Entries that an earlier version merged are not foreign: it listed templates as
	// well.
	head := tool(unready, list(unready))
	l := learn.Lists{Steps: []learn.Step{{Name: "hum", Dir: "skills/hum", Added: true}}, Learner: "scout", Day: "2026-03-10"}
	found, err := learn.Deviations(nothing, head, l, []string{"soul/scout/SOUL.md"}, "2026-03-10")
	if err != nil || len(found) != 1 || found[0].Foreign {
		t.Errorf("%+v, %v", found, err)
	}
}
