package attacks_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace"
)

func lineDefences() map[string]defence {
	return map[string]defence{
		"lines-are-few":         {attack: "TestAttackManyLines/of other years"},
		"lines-are-opened-once": {attack: "TestAttackManyLines/for many journals"},
	}
}

// Anyone who can push can add lines of folded journals. Clones take a bounded number of them, and
// open each once, however many journals they read. Objects are counted, not time.
func TestAttackManyLines(t *testing.T) {
	attack(t, "of other years", func(d *world) {
		for year := range 10_000 {
			name := fmt.Sprintf("%s%04d", local.ClosedPrefix, year)
			if years := year >= 2000 && year < 2200; workspace.Shared(name) != years {
				d.succeeds("taken from a hub: %s is %v", name, !years)
				return
			}
		}
	})
	attack(t, "for many journals", func(d *world) {
		var refs strings.Builder
		who := gitstore.Person{Name: "M", Email: "m@example.org", When: d.tick()}
		fold := d.commitTree(who, "Fold\n\nAssent-Fold: 1", d.treeOf(d.main()))
		for i := range 150 {
			fmt.Fprintf(&refs, "create %s%d %s\n", local.ClosedPrefix, 2000+i, fold)
		}
		d.gitIn(refs.String(), "update-ref", "--stdin")
		reading := func(shelf journal.Shelf) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range 60 {
				_, err := shelf.Read(d.Repo, fmt.Sprintf("knot-%08d", i))
				d.ok(err)
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		shelf := local.Shelf()
		each := reading(shelf)
		var err error
		shelf.Lines, err = shelf.Opened(d.Repo)
		d.ok(err)
		if once := reading(shelf); once*4 > each {
			d.succeeds("reading 60 journals beside 150 lines takes %d objects, and %d where each opens all lines", once, each)
		}
	})
}
