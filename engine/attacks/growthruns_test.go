package attacks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// A list of runs costs no more for refs added to a journal of a run of 30 MiB: to its last event, to
// each of its last events, or to an event upon it.
func TestAttackGrowthOfRuns(t *testing.T) {
	base, id, heads := largeRun(t)
	for what, head := range heads {
		t.Run(what, func(t *testing.T) {
			d := base.clone(t)
			d.growth(growth{
				piece: 30 << 20,
				add:   func(from, to int) { d.addRuns(from, to, head) },
				read: func(func()) {
					all, _, err := d.Runs.All()
					d.ok(err)
					if !slices.ContainsFunc(all, func(s run.State) bool { return s.ID == id }) {
						d.succeeds("an honest run is not listed")
					}
				},
			})
		})
	}
}

// A pull costs no more for such refs on the hub, and takes an honest run beside them.
func TestAttackGrowthOfPulledRuns(t *testing.T) {
	base, _, heads := largeRun(t)
	for what, head := range heads {
		t.Run(what, func(t *testing.T) {
			d := base.clone(t)
			hub := d.copied()
			n := 0
			d.growth(growth{
				n: 4, piece: 30 << 20,
				add: func(from, to int) { hub.addRuns(from, to, head) },
				read: func(func()) {
					n++
					small := fmt.Sprintf("bowline-aaaa%04d", n)
					_, err := hub.Runs.Append(d.Context(), small, "assent", d.Now(), func(run.State) (*run.Record, error) {
						return &run.Record{V: run.Version, Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}, nil
					})
					d.ok(err)
					_, err = exchange.Pull(d.Context(), d.Workspace, "origin", false)
					d.ok(err)
					if has, err := d.Runs.Has(small); err != nil || !has {
						d.succeeds("an honest run is not pulled: %v", err)
					}
				},
			})
		})
	}
}

// addRuns adds refs of runs at events.
func (d *world) addRuns(from, to int, head func(n int) tree.Hash) {
	d.Helper()
	for n := from; n < to; n++ {
		d.put(fmt.Sprintf("%sbraid-aaaa%04d", runlog.Prefix, n), head(n))
	}
}

// recordsOn appends a record to a journal by hand.
func (d *world) recordsOn(history *[]journal.Event, r run.Record) {
	d.Helper()
	data, err := r.Encode()
	d.ok(err)
	stored, err := journal.Continue(d.Repo, *history, journal.Event{Kind: string(r.Kind), At: d.tick(), By: "mallory", Files: map[string][]byte{"record.json": data}})
	d.ok(err)
	*history = append(*history, stored)
}

// largeRun returns a world with an honest run, and events of a journal of it of 25 MiB: the last one,
// each of the last, or one upon it.
func largeRun(t *testing.T) (base *world, id string, heads map[string]func(n int) tree.Hash) {
	const reason = 250 << 10
	base = newWorld(t)
	id = base.forgedRun(base.main(), replacedFlow)
	var history []journal.Event
	base.recordsOn(&history, run.Record{V: 3, Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}) // it names no run
	done := func(n int) {
		base.recordsOn(&history, run.Record{V: 3, Kind: run.Done, Job: fmt.Sprint("j", n), Reason: strings.Repeat("x", reason)})
	}
	for n := range 100 {
		done(n)
	}
	heads = map[string]func(n int) tree.Hash{
		"the same":       func(int) tree.Hash { return history[len(history)-1].Commit },
		"earlier events": func(n int) tree.Hash { return history[len(history)-1-n].Commit },
	}
	var own []tree.Hash
	for n := range 2 * crowd {
		done(100 + n)
		own = append(own, history[len(history)-1].Commit)
		history = history[:len(history)-1]
	}
	heads["of its own"] = func(n int) tree.Hash { return own[n] }
	base.ok(base.Repo.Sync())
	return base, id, heads
}
