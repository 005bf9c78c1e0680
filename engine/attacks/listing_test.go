package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/sandbox"
)

func listingDefences() map[string]defence {
	return map[string]defence{
		"listing-takes-no-declared-time": {attack: "TestAttackListing/1 servers of 10m"},
		"listing-is-bounded":             {attack: "TestAttackListing/20 servers of 20s"},
	}
}

// hanging starts servers that never answer: the clock moves by all of their time.
type hanging struct {
	lucky
	d    *world
	took *time.Duration
}

func (h hanging) Start(_ context.Context, s sandbox.Spec) (*sandbox.Process, error) {
	*h.took += s.Limits.Wall
	h.d.clock = h.d.clock.Add(s.Limits.Wall)
	return nil, errors.New("it did not answer")
}

// TestAttackListing: a proposal of servers that hang does not hold up who opens it, such as a pass that takes in what
// others pushed.
func TestAttackListing(t *testing.T) {
	for _, timeout := range []string{"1s", "20s", "29s", "1m", "5m", "10m"} {
		for n := 1; n <= 20; n++ {
			attack(t, fmt.Sprintf("%d servers of %s", n, timeout), func(d *world) {
				var took time.Duration
				d.Sandbox = func(context.Context) (sandbox.Runner, error) { return hanging{d: d, took: &took}, nil }
				var edits []tree.Edit
				for i := range n {
					dir := fmt.Sprintf("skills/far-%d/", i)
					for name, text := range map[string]string{
						"SKILL.md":        fmt.Sprintf("---\nname: far-%d\ndescription: Says things again, as number %d of them. Use it in tests.\n---\n\n# Far\n", i, i),
						"capability.yaml": "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: " + timeout + "}\nrequires: {bins: [python3]}\n",
						"server.json":     `{"name": "localhost/far", "description": "Says things", "version": "1.0.0"}`,
						"scripts/main.py": "while True:\n    pass\n",
					} {
						edits = append(edits, tree.Edit{Path: dir + name, Content: []byte(text)})
					}
				}
				if d.proposed("kublai", edits...); took == 0 {
					d.Error("none was started")
				} else if took > 90*time.Second {
					d.Errorf(succeeded+"the servers took %s", took)
				}
			})
		}
	}
}
