package attacks_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/remote"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

func untriedDefences() map[string]defence {
	return map[string]defence{"untried-refs-are-not-repaired": {attack: "TestAttackUntriedRefs/behind broken ones"}}
}

// Records that a pull did not try, because others could not be fetched or for a reason of this machine, are not
// damaged: a repair leaves the newest ones on the hub.
func TestAttackUntriedRefs(t *testing.T) {
	for what, prevent := range map[string]func(d, hub *world, refs []string){
		"behind broken ones": func(_, hub *world, _ []string) { hub.unfetchable() },
		"locked here": func(d, _ *world, refs []string) {
			for _, ref := range refs[90:] {
				lock := filepath.Join(d.dir, ".git", filepath.FromSlash(remote.Tracking("origin", ref))+".lock")
				d.ok(errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o644)))
			}
		},
	} {
		attack(t, what, func(d *world) {
			var refs []string
			for n := range 100 {
				id := fmt.Sprintf("bowline-k3v9q%03d", n)
				_, _, err := d.Runs.Begin(d.Context(), id, "assent", d.Now(), run.Start{Workflow: "braid", Event: "command"})
				d.ok(err)
				refs = append(refs, runlog.Prefix+id)
			}
			p := d.proposed("kublai", skill("clove-hitch"))
			hub := d.copied()
			for _, ref := range refs {
				_, err := hub.Runs.Append(d.Context(), filepath.Base(ref), "assent", d.Now(), func(run.State) (*run.Record, error) {
					return &run.Record{V: run.Version, Kind: run.Ended, Outcome: run.Completed}, nil
				})
				d.ok(err)
			}
			d.ok(hub.Record.Comment(d.Context(), p.ID, forge.Comment{By: forge.Actor{Name: "mongke"}, Body: "why?", At: d.tick()}))
			refs = append(refs, local.PullPrefix+p.ID)
			want := map[string]tree.Hash{}
			for _, ref := range refs {
				want[ref] = hub.ref(ref)
			}
			prevent(d, hub, refs)
			d.repairs()
			for _, ref := range refs {
				if at := hub.git("for-each-ref", "--format=%(objectname)", ref); at != want[ref].String() {
					d.succeeds("%s on the hub is at %q, want %s", ref, at, want[ref])
					return
				}
			}
		})
	}
}

// repairs does what doctor --fix --remote does.
func (d *world) repairs() {
	d.Helper()
	for range 3 {
		damages, err := exchange.Damages(d.Context(), d.Workspace, "origin")
		var unfetched *remote.Partly
		if err != nil && !errors.As(err, &unfetched) {
			d.Fatal(err)
		}
		found, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", unfetched)
		d.ok(err)
		for _, j := range found {
			if !j.Stays {
				d.ok(exchange.Replace(d.Context(), d.Workspace, "origin", j))
			}
		}
		for _, dmg := range damages {
			if dmg.Restorable || dmg.Cut {
				_, err := exchange.Restore(d.Context(), d.Workspace, "origin", dmg)
				d.ok(err)
			}
		}
	}
}
