package attacks_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/journal"
)

// A list of open proposals costs each further one its share, however large the journals are that
// others open in a listed agent's name: proposals are compared with each other.
func TestAttackGrowthOfProposals(t *testing.T) {
	const size = 4 << 20
	zeros := func(n int) []byte { return append(make([]byte, size), byte(n)) }
	events := map[string]func(n int) []journal.Event{
		"files": func(n int) []journal.Event {
			return []journal.Event{{Kind: "comment", Files: map[string][]byte{"more.json": zeros(n)}}}
		},
		"actors": func(n int) []journal.Event {
			return []journal.Event{{Kind: "comment", Files: map[string][]byte{"actor.json": append(bytes.Repeat([]byte{' '}, size), fmt.Sprintf(`{"name":"%d"}`, n)...)}}}
		},
		"reviews": func(n int) []journal.Event {
			return []journal.Event{{Kind: "review", Files: map[string][]byte{"review.json": zeros(n), "review.sig": zeros(n)[1:]}}}
		},
		"notes": func(n int) (out []journal.Event) {
			for len(out) < 4 {
				out = append(out, journal.Event{Kind: "comment", Note: fmt.Sprint(n, strings.Repeat("x", 900<<10))})
			}
			return out
		},
	}
	for what, of := range events {
		// Files are read once, texts by each list, and by no list once for each other proposal.
		piece := int64(6 * size)
		if what == "notes" {
			piece = 40 * size
		}
		attack(t, what, func(d *world) {
			d.Proposer = d.who["mongke"]
			honest := d.proposed("mongke", named(0))
			d.growth(growth{
				n: 8, piece: piece,
				add: func(from, to int) {
					for n := from; n < to; n++ {
						id := fmt.Sprintf("forged-%08d", n)
						d.openedAs("mongke", "mongke@example.org", id, "more", honest.Opened, true, openings()["unsigned"])
						for _, ev := range of(n) {
							ev.Fields = map[string]string{"Head": strings.Repeat("a", 40)}
							d.record(id, ev)
						}
					}
				},
				read: func(func()) {
					cur, err := d.Session(d.Context())
					d.ok(err)
					open, err := cur.Forge.List(d.Context(), forge.Filter{State: forge.Open})
					d.ok(err)
					for _, p := range open {
						ex, err := cur.Examine(d.Context(), p.ID)
						d.ok(err)
						if p.ID == honest.ID && ex.Case.OpenByAgent != 1 {
							d.succeeds("the honest proposal is number %d", ex.Case.OpenByAgent)
						}
					}
				},
			})
			d.begin()
		})
	}
}
