package attacks_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func cloneDefences() map[string]defence {
	return map[string]defence{
		"nothing-hides-the-events-below":    {attack: "TestAttackExistingClones/live: on top: no event"},
		"repairs-lose-no-record-below-junk": {attack: "TestAttackJunkAboveRecords/a run"},
	}
}

// elsewhere opens a copy of the repository on a machine that never saw the merge, with main before
// it and the journal up to its n-th event. It pulls from hub.
func (d tightened) elsewhere(hub *world, n int) *workspace.Workspace {
	d.Helper()
	home := d.TempDir()
	d.Setenv("ASSENT_HOME", filepath.Join(home, "assent"))
	dir := filepath.Join(home, "clone")
	d.linked(dir, d.dir)
	d.ok(os.RemoveAll(filepath.Join(dir, ".git", "assent")))
	w, err := workspace.Open(dir, workspace.Surroundings{Now: d.tick})
	d.ok(err)
	before, err := d.Repo.Commit(d.at)
	d.ok(err)
	move := gitstore.RefUpdate{Name: local.PullPrefix + d.pull.ID, Old: d.ref(local.PullPrefix + d.pull.ID)}
	if n > 0 {
		move.New = d.events()[n-1].Commit
	}
	d.ok(w.Repo.Update(gitstore.RefUpdate{Name: attest.MainRef, Old: d.at, New: before.Parents[0]}, move))
	d.git("-C", dir, "remote", "add", "origin", hub.dir)
	return w
}

// An existing clone imports a merge whatever follows its announcement in the journal on the hub, as
// a new clone does.
func TestAttackExistingClones(t *testing.T) {
	live := newTightened(t)
	folded := live.copied(t)
	folded.folded()
	n := 0
	for _, from := range []struct {
		name string
		tightened
		acts []damage
	}{{"live", live, malformed()}, {"folded", folded, slices.Concat(malformed(), added())}} {
		for _, dmg := range from.acts {
			t.Run(from.name+": "+dmg.name, func(t *testing.T) {
				hub := from.copied(t)
				dmg.do(hub)
				fresh := hub.reading(t.TempDir(), false)
				for _, known := range []int{0, 2} {
					d := tightened{world: live.world, pull: live.pull, at: live.at}
					d.T = t
					w := d.elsewhere(hub.world, known)
					pulled, err := exchange.Pull(t.Context(), w, "origin", false)
					d.ok(err)
					cur, err := w.Session(t.Context())
					if fresh == "" || err != nil || cur.InForce != live.at {
						d.succeeds("a clone that knows %d events has %s in force, not %s: %v, %v, %v", known, cur.InForce.Short(), live.at.Short(), err, pulled.Held, pulled.Problems)
					}
				}
			})
			n += 2
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// What is below junk in any kind of record on the hub is imported, and no repair loses it there.
func TestAttackJunkAboveRecords(t *testing.T) {
	for _, what := range []string{"a run", "trials", "folded runs"} {
		for _, way := range []string{"", ", pulled"} {
			attack(t, what+way, func(d *world) { d.junkAbove(what, way != "") })
		}
	}
}

func (d *world) junkAbove(what string, pulled bool) {
	d.Helper()
	end := run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Completed}
	ends := func(h *world, ref string) {
		_, err := h.Runs.Append(h.Context(), strings.TrimPrefix(ref, runlog.Prefix), "assent", h.Now(), func(run.State) (*run.Record, error) { return &end, nil })
		h.ok(err)
	}
	ref, trials := d.recorded()
	rest := d.Now().Add(runlog.Rest + time.Hour)
	goesOn := map[string]func(h *world){
		"a run":  func(h *world) { ends(h, ref) },
		"trials": func(h *world) { h.tried() },
		"folded runs": func(h *world) {
			second := ref[:len(ref)-1] + "w"
			_, _, err := h.Runs.Begin(h.Context(), strings.TrimPrefix(second, runlog.Prefix), "assent", h.Now(), run.Start{Workflow: "braid", Event: "command"})
			h.ok(err)
			ends(h, second)
			_, err = h.Runs.Fold(h.Context(), rest, 10)
			h.ok(err)
		},
	}[what]
	at := map[string]string{"a run": ref, "trials": trials, "folded runs": runlog.EndedPrefix + rest.Format("2006")}[what]
	if what == "folded runs" {
		d.endedRun(ref)
	}
	hub := d.copied()
	goesOn(hub)
	want := hub.ref(at)
	hub.put(at, hub.commit("x", []tree.Hash{want}))
	if pulled {
		_, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
	} else {
		_, err := exchange.Damages(d.Context(), d.Workspace, "origin")
		d.ok(err)
		found, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", nil)
		d.ok(err)
		if len(found) != 1 || found[0].Ref != at {
			d.Fatalf("found %+v", found)
		}
		d.ok(exchange.Replace(d.Context(), d.Workspace, "origin", found[0]))
		if got := hub.ref(at); got != want {
			d.succeeds("%s on the hub is at %s, want %s", at, got.Short(), want.Short())
		}
	}
	if got := d.ref(at); got != want {
		d.succeeds("%s here is at %s, want %s", at, got.Short(), want.Short())
	}
}
