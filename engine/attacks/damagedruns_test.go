package attacks_test

import (
	"fmt"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// damagedRuns are ways to end the journal of a run, at an event, so that readers leave the run out.
func damagedRuns() []func(d *world, at tree.Hash, n int) tree.Hash {
	upon := func(d *world, at tree.Hash, r run.Record, by string) tree.Hash {
		events, err := journal.ReadAt(d.Repo, at)
		d.ok(err)
		data, err := r.Encode()
		d.ok(err)
		e, err := journal.Continue(d.Repo, events, journal.Event{Kind: string(r.Kind), At: d.tick(), By: by, Files: map[string][]byte{"record.json": data}})
		d.ok(err)
		d.ok(d.Repo.Sync())
		return e.Commit
	}
	return []func(d *world, at tree.Hash, n int) tree.Hash{
		func(d *world, at tree.Hash, n int) tree.Hash { return d.commit(fmt.Sprint("x", n), []tree.Hash{at}) },
		func(d *world, at tree.Hash, _ int) tree.Hash { // it began again
			return upon(d, at, run.Record{V: run.Version, Kind: run.Started, Start: &run.Start{Workflow: "braid", Event: "command"}}, "m")
		},
		func(d *world, at tree.Hash, _ int) tree.Hash { // outputs that are kept before the run has ended
			return upon(d, at, run.Record{V: run.Version, Kind: run.Kept}, "m")
		},
		func(d *world, at tree.Hash, _ int) tree.Hash { // a step in another form, then one in the right form
			events, err := journal.ReadAt(d.Repo, at)
			d.ok(err)
			odd := d.parsed(d.event(d.treeOf(at).String(), "asked", events[len(events)-1].Sequence+1, "text", at.String()))
			return upon(d, odd, run.Record{V: run.Version, Kind: run.Asked, Job: "a", Role: "lead"}, "m")
		},
		// From here on, nothing of the journal is below it.
		func(d *world, _ tree.Hash, _ int) tree.Hash { return d.main() },
		func(d *world, _ tree.Hash, n int) tree.Hash { // the journal of another run
			id := fmt.Sprintf("hitch-k3v9q%03d", n)
			_, _, err := d.Runs.Begin(d.Context(), id, "assent", d.Now(), run.Start{Workflow: "braid", Event: "command"})
			d.ok(err)
			return d.ref(runlog.Prefix + id)
		},
		func(d *world, _ tree.Hash, n int) tree.Hash {
			return d.parsed(d.object("blob", fmt.Append(nil, "x", n)))
		},
	}
}

// Of runs that readers leave out, on the hub, here or on both sides, a repair loses no step that can be read.
func TestHubRunsAreRepaired(t *testing.T) {
	d := newWorld(t)
	ends := func(w *world, id string) {
		_, err := w.Runs.Append(d.Context(), id, "assent", d.Now(), func(run.State) (*run.Record, error) {
			return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Completed}, nil
		})
		d.ok(err)
	}
	var ids []string
	for n := range 126 {
		ids = append(ids, fmt.Sprintf("bowline-k3v9q%03d", n))
		_, _, err := d.Runs.Begin(d.Context(), ids[n], "assent", d.Now(), run.Start{Workflow: "braid", Event: "command"})
		d.ok(err)
	}
	hub := d.copied()
	want := map[string]tree.Hash{}
	for n, id := range ids {
		ref, onHub, here, way := runlog.Prefix+id, n%3 != 1, n%3 != 0, n/3%7
		want[id] = d.ref(ref)
		if here {
			d.put(ref, damagedRuns()[way](d, d.ref(ref), n))
		}
		if n/21%2 == 0 { // the hub has more
			ends(hub, id)
		}
		at := hub.ref(ref)
		if onHub {
			hub.put(ref, damagedRuns()[way](hub, at, n))
		}
		switch above := way < 4; {
		case !onHub || above:
			want[id] = at
		case here:
			delete(want, id) // no side has any of it
		}
	}
	d.repairs()
	if len(want) < 100 {
		d.Errorf("%d variants", len(want))
	}
	for id, end := range want {
		here, there := d.ref(runlog.Prefix+id), hub.ref(runlog.Prefix+id)
		if err := runlog.Readable(d.Repo, id, here); err != nil || here != end || there != end {
			d.Errorf("%s: here at %s, on the hub at %s, want %s: %v", id, here.Short(), there.Short(), end.Short(), err)
		}
	}
}
