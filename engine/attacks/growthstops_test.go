package attacks_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
)

// Junk among the stops costs a reader a look at its names: many refs name one commit. An honest stop holds beside it.
func TestAttackGrowthOfStops(t *testing.T) {
	const junk = 150
	base := newWorld(t)
	base.stopRef(base.signedStop(base.who["bob"], base.stopRecord("bowline")))
	files := base.tree([]raw{
		{"100644", "stop.json", base.object("blob", []byte(strings.Repeat("a", stop.MaxRecord)))},
		{"100644", "stop.sig", base.object("blob", []byte(strings.Repeat("a", 8<<10)))},
	})
	one := base.commitOn(base.main(), files)
	at := map[string][]tree.Hash{}
	ids := []string{}
	for n := range 2 * junk {
		r := base.stopRecord("reef-knot")
		r.Nonce = fmt.Sprintf("nonce-of-junk-%08d", n)
		s := base.signedStop(base.who["second"], r)
		ids = append(ids, s.ID)
		at["one commit"] = append(at["one commit"], one)
	}
	base.ok(base.Repo.Sync())
	for what, heads := range at {
		t.Run(what, func(t *testing.T) {
			d := base.clone(t)
			g := growth{n: junk, piece: 16 << 10}
			g.add = func(from, to int) {
				var all []gitstore.RefUpdate
				for n := from; n < to; n++ {
					all = append(all, gitstore.RefUpdate{Name: workspace.StopPrefix + ids[n], New: heads[n]})
				}
				d.ok(d.Repo.Update(all...))
				d.git("pack-refs", "--all")
			}
			g.read = func(mark func()) {
				judged, held := d.stopped("bowline")
				mark()
				runtime.KeepAlive(judged)
				if !held {
					d.succeeds("the honest stop does not hold")
				}
			}
			d.growth(g)
		})
	}
}
