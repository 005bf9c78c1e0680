package composed

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// world maps the names of composed tools to their calls.
type world map[string]string

func (w world) tool(t *testing.T, name string) Tool {
	calls, ok := w[name]
	if !ok || calls == "" {
		return Tool{Name: name}
	}
	src := "def main(input):\n"
	for _, c := range strings.Fields(calls) {
		src += "  tools." + c + "()\n"
	}
	p, found := Parse(name+".star", []byte(src))
	if len(found) > 0 {
		t.Fatal(found)
	}
	return Tool{Name: name, Program: p}
}

// TestOrder checks the order of callees, and the diagnostics about unknown names and
// cycles.
func TestOrder(t *testing.T) {
	chain := world{}
	for i := range 2 * maxTools {
		chain[fmt.Sprintf("t%d", i)] = fmt.Sprintf("t%d", i+1)
	}
	for _, tc := range []struct {
		name        string
		w           world
		order, says string
	}{
		{"alone", world{"a": ""}, "a", ""},
		{"dependencies first", world{"a": "b c", "b": "d", "c": "d", "d": ""}, "d b c a", ""},
		{"twice is once", world{"a": "b b", "b": ""}, "b a", ""},
		{"unknown", world{"a": "b c", "b": ""}, "b a", "a.star:3:9: composed-unknown"},
		{"unknown below", world{"a": "b", "b": "c"}, "b a", "b.star:2:9: composed-unknown"},
		{"itself", world{"a": "a"}, "a", "a.star:2:9: composed-cycle"},
		{"a circle", world{"a": "b", "b": "c", "c": "a"}, "c b a", "c.star:2:9: composed-cycle"},
		{"a circle that does not hold the root", world{"a": "b", "b": "c", "c": "b"}, "c b a", "c.star:2:9: composed-cycle"},
	} {
		order, found, err := Order(tc.w.tool(t, "a"), func(name string) (Tool, bool, error) {
			_, ok := tc.w[name]
			return tc.w.tool(t, name), ok, nil
		})
		var said []string
		for _, d := range found {
			said = append(said, d.Pos.String()+": "+d.Rule)
		}
		if err != nil || strings.Join(order, " ") != tc.order || strings.Join(said, " ") != tc.says {
			t.Errorf("%s: %v, %v, %v", tc.name, order, said, err)
		}
	}
	_, found, err := Order(chain.tool(t, "t0"), func(name string) (Tool, bool, error) { return chain.tool(t, name), true, nil })
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, "more than 1000 tools") {
		t.Errorf("a long chain: %v, %v", found, err)
	}
	broken := errors.New("broken")
	if _, _, err := Order(chain.tool(t, "t0"), func(string) (Tool, bool, error) { return Tool{}, false, broken }); !errors.Is(err, broken) {
		t.Errorf("a registry that fails: %v", err)
	}
}
