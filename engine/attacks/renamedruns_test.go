package attacks_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// renamedRun is a run whose first record names it, with so many steps, and the other events of its
// journal at which an attacker puts refs of other runs.
func renamedRun(t *testing.T, steps int) (d *world, id string, heads map[string]func(n int) tree.Hash) {
	t.Helper()
	d = newWorld(t)
	id = d.forgedRun(d.main(), replacedFlow)
	history, err := runlog.Shelf().Read(d.Repo, id)
	d.ok(err)
	for n := range steps {
		d.recordsOn(&history, run.Record{V: run.Version, Kind: run.Done, Job: fmt.Sprint("j", n)})
	}
	all := slices.Clip(history)
	at := d.tick()
	upon := func(n int) tree.Hash {
		own := all
		d.recordsOn(&own, run.Record{V: run.Version, Kind: run.Done, Job: fmt.Sprint("own", n)})
		return own[len(own)-1].Commit
	}
	heads = map[string]func(n int) tree.Hash{
		"its end":        func(int) tree.Hash { return all[len(all)-1].Commit },
		"earlier events": func(n int) tree.Hash { return all[len(all)-1-n].Commit },
		"its beginning":  func(int) tree.Hash { return all[0].Commit },
		"events upon it": upon,
		"junk upon it":   func(n int) tree.Hash { return d.commit(fmt.Sprint("junk ", n), []tree.Hash{all[len(all)-1].Commit}) },
		"junk upon an event upon it": func(n int) tree.Hash {
			return d.commit(fmt.Sprint("junk ", n), []tree.Hash{upon(n)})
		},
	}
	for what, head := range heads {
		heads[what] = func(n int) tree.Hash { // the same in each copy of the repository
			d.clock = at
			return head(n)
		}
		for n := range 2 * crowd {
			heads[what](n)
		}
	}
	d.ok(d.Repo.Sync())
	d.put(runlog.Shelf().Ref(id), all[len(all)-1].Commit)
	return d, id, heads
}

// A journal whose first record names its run is that of no other run: refs of over 100 other names at
// its events are neither read, listed, continued nor pulled.
func TestAttackRenamedRuns(t *testing.T) {
	base, id, heads := renamedRun(t, 30)
	refs := map[string]tree.Hash{}
	for i, what := range slices.Sorted(maps.Keys(heads)) {
		for n := range 20 {
			workflow := []string{"braid", "aaa", "zzz", "bowline"}[n%4]
			refs[fmt.Sprintf("%s-aa%02d%04d", workflow, i, n)] = heads[what](n)
		}
	}
	base.ok(base.Repo.Sync())
	if len(refs) < 100 {
		t.Fatal(len(refs))
	}
	add := func(d *world) {
		for name, at := range refs {
			d.put(runlog.Shelf().Ref(name), at)
		}
		d.reopen()
	}
	t.Run("pulls", func(t *testing.T) {
		d := base.clone(t)
		hub := d.copied()
		add(hub)
		d.git("update-ref", "-d", runlog.Shelf().Ref(id))
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		for name := range refs {
			if has, err := d.Runs.Has(name); err != nil || has {
				d.succeeds("%s is pulled: %v", name, err)
			}
			if !slices.ContainsFunc(out.Problems, func(err error) bool { return strings.Contains(err.Error(), name+": its journal is that of run") }) {
				d.Errorf("nothing says why %s is not pulled: %v", name, out.Problems)
			}
		}
		if has, err := d.Runs.Has(id); err != nil || !has {
			d.succeeds("the honest run is not pulled: %v, %v", err, out.Problems)
		}
	})
	t.Run("reads", func(t *testing.T) {
		d := base.clone(t)
		add(d)
		listed, _, err := d.Runs.All()
		d.ok(err)
		if len(listed) != 1 || listed[0].ID != id {
			d.succeeds("%d runs are listed", len(listed))
		}
		for name := range refs {
			if _, err := d.Runs.Read(name); err == nil {
				d.succeeds("%s is read", name)
			}
			if _, err := d.Runs.Append(d.Context(), name, "ada", d.Now(), func(run.State) (*run.Record, error) {
				return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Cancelled}, nil
			}); err == nil {
				d.succeeds("%s goes on", name)
			}
		}
	})
}

// A pull reads the journal once, however many refs of other runs are at its events.
func TestAttackGrowthOfRenamedRuns(t *testing.T) {
	base, id, heads := renamedRun(t, 2_000)
	base.ok(base.Repo.Sync())
	for what, head := range heads {
		t.Run(what, func(t *testing.T) {
			d := base.clone(t)
			hub := d.copied()
			d.git("update-ref", "-d", runlog.Shelf().Ref(id))
			d.growth(growth{
				n: crowd, piece: 4 << 20,
				add: func(from, to int) { hub.addRuns(from, to, head) },
				read: func(func()) {
					_, err := exchange.Pull(d.Context(), d.Workspace, "origin", true)
					d.ok(err)
				},
			})
		})
	}
}
