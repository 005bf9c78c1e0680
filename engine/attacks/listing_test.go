package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/forge"
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

// hangs is a server that never answers.
func hangs(i int, timeout string) (out []tree.Edit) {
	for name, text := range map[string]string{
		"SKILL.md":        fmt.Sprintf("---\nname: far-%d\ndescription: Says things again, as number %d of them. Use it in tests.\n---\n\n# Far\n", i, i),
		"capability.yaml": "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: " + timeout + "}\nrequires: {bins: [python3]}\n",
		"server.json":     `{"name": "localhost/far", "description": "Says things", "version": "1.0.0"}`,
		"scripts/main.py": "while True:\n    pass\n",
	} {
		out = append(out, tree.Edit{Path: fmt.Sprintf("skills/far-%d/", i) + name, Content: []byte(text)})
	}
	return out
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
					edits = append(edits, hangs(i, timeout)...)
				}
				if d.proposed("kublai", edits...); took == 0 {
					d.Error("none was started")
				} else if took > 90*time.Second {
					d.Errorf(succeeded+"the servers took %s", took)
				}
			})
		}
	}
	attack(t, "3 branches of the inbox with 3 servers each", func(d *world) {
		var took time.Duration
		d.Sandbox = func(context.Context) (sandbox.Runner, error) { return hanging{d: d, took: &took}, nil }
		for n := range 3 {
			edits := slices.Concat(hangs(3*n, "1m"), hangs(3*n+1, "1m"), hangs(3*n+2, "1m"))
			d.put(fmt.Sprintf("refs/heads/inbox/kublai/far%d", n), d.commit("More", []tree.Hash{d.main()}, edits...))
		}
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		if open, err := d.Record.List(d.Context(), forge.Filter{State: forge.Open}); err != nil || len(open) != 3 || took == 0 {
			d.Fatalf("%d are open, and the servers took %s: %v", len(open), took, err)
		}
		if took > 90*time.Second {
			d.Errorf(succeeded+"the servers took %s", took)
		}
	})
}
