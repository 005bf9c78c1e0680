package composed_test

import (
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
)

func TestUncallable(t *testing.T) {
	of := func(kind capability.Kind, code bool) capability.Capability {
		c := capability.Capability{Folder: capability.Folder{Name: "split-line"}, Kind: kind}
		if code {
			c.Record.Run = &capability.Run{}
		}
		return c
	}
	for _, tc := range []struct {
		c        capability.Capability
		method   string
		ways     []string
		why, fix string
	}{
		{of(capability.KindTool, true), "", nil, "", ""},
		{of(capability.KindMCP, true), "read", nil, "", ""},
		{of(capability.KindTool, false), "", []string{"a-b"}, "a specification", "call tools.a_b"},
		{of(capability.KindTool, false), "", []string{"a", "b", "c", "d", "e", "f"}, "a specification", "call tools.a, tools.b, tools.c, tools.d or tools.e"},
		{of(capability.KindTool, false), "", nil, "nothing with code implements it", "propose"},
		{of(capability.KindMCP, false), "read", nil, "nothing with code implements it", "propose"},
		{of(capability.KindSkill, false), "", nil, "of kind skill, which is read", "call a tool"},
		{of(capability.KindMCP, true), "", nil, "a server", "call tools.split_line__method"},
		{of(capability.KindTool, true), "read", nil, "has no methods", "call tools.split_line"},
	} {
		why, fix := composed.Uncallable(tc.c, tc.method, tc.ways)
		if (why == "") != (tc.why == "") || !strings.Contains(why, tc.why) || !strings.HasPrefix(fix, tc.fix) {
			t.Errorf("%+v %q: %q, %q", tc.c.Kind, tc.method, why, fix)
		}
	}
}
