package attacks_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/reconcile"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

func lateDefences() map[string]defence {
	return map[string]defence{
		"old-events-begin-nothing":       {attack: "TestAttackOldEvents/forged runs"},
		"merges-are-dated-by-main":       {attack: "TestAttackOldEvents/an event on top of the journal"},
		"approved-jobs-begin-on-the-hub": {attack: "TestAttackSecondMachine"},
	}
}

const heraldFlow = "name: herald\non: {proposal.merged: true}\ninputs: {why: {default: none}}\njobs:\n  tell: {uses: notify, message: It is merged.}\n"

// Anyone who can push can write the journal of a run about an event of long ago, with any dates.
func TestAttackOldEvents(t *testing.T) {
	attack(t, "forged runs", func(d *world) {
		d.merged(file("workflows/herald.yaml", heraldFlow))
		at := d.main().String()
		p := d.merged(skill("clove-hitch"))
		now := d.clock.AddDate(1, 0, 0)
		d.Now = func() time.Time { return now }
		n := 0
		for days := range 27 {
			for _, event := range []string{"proposal.merged", "proposal.rejected", "proposal.opened", "command"} {
				id := fmt.Sprintf("herald-%08d", n)
				n++
				_, _, err := d.Runs.Begin(d.Context(), id, "mallory", now.Add(-time.Duration(days)*15*24*time.Hour), run.Start{
					Workflow: "herald", Event: event, About: p.ID, Commit: at, Definition: tree.BlobHash([]byte(heraldFlow)).String(), Inputs: map[string]string{"why": "none"},
				})
				d.ok(err)
				out, err := task.Advance(d.Context(), d.Workspace, id)
				d.ok(err)
				if out.Outcome != run.Broke || len(out.Jobs) > 0 {
					d.succeeds("%s of a year ago, begun %d days ago: %+v", event, 15*days, out.Jobs)
				}
				d.because(out.Reason, "longer ago than its jobs can take")
			}
		}
		if n < 100 {
			d.Errorf("%d variants", n)
		}
	})
	attack(t, "an event on top of the journal", func(d *world) {
		d.merged(file("workflows/herald.yaml", heraldFlow))
		p := d.merged(skill("clove-hitch"))
		now := d.clock.AddDate(1, 0, 0)
		d.Now = func() time.Time { return now }
		d.ok(d.Forge.Comment(d.Context(), p.ID, forge.Comment{By: forge.Actor{Name: "mallory"}, Body: "Look.", At: now}))
		_, err := reconcile.Run(d.Context(), d.Workspace, reconcile.Options{})
		d.ok(err)
		all, _, err := d.Runs.All()
		d.ok(err)
		for _, s := range all {
			if s.About == p.ID {
				d.succeeds("a merge of a year ago is news: %+v", s)
			}
		}
	})
}

// Two machines know of an approval, and neither ran the job. One of them begins it.
func TestAttackSecondMachine(t *testing.T) {
	const text = "name: ship\non: {command: ship}\ninputs: {to: {default: test}}\njobs:\n  ask: {approve: lead, timeout: 30d}\n  ship: {run: 'true', secrets: [TOKEN], needs: ask}\n"
	d := newWorld(t)
	d.merged(file("workflows/ship.yaml", text))
	now := d.clock
	runs := 0
	equip := func(w *world) {
		w.Now = func() time.Time { return now }
		w.Sandbox = func(context.Context) (sandbox.Runner, error) { return lucky{func(context.Context) { runs++ }}, nil }
		w.Secret = func(workspace.Session, string) (string, bool, error) { return "sesame-opens", true, nil }
	}
	equip(d)
	var ids []string
	ref := func(w *world, id string) string { return strings.TrimSpace(w.git("rev-parse", "refs/assent/runs/"+id)) }
	asked, approved := map[string]string{}, map[string]string{}
	for n := range 4 {
		id := fmt.Sprintf("ship-%08d", n)
		_, _, err := d.Runs.Begin(d.Context(), id, "ada", now, run.Start{
			Workflow: "ship", Event: "command", Commit: d.main().String(), Definition: tree.BlobHash([]byte(text)).String(), Inputs: map[string]string{"to": "test"},
		})
		d.ok(err)
		_, err = task.Advance(d.Context(), d.Workspace, id)
		d.ok(err)
		asked[id] = ref(d, id)
		cur, err := d.Session(d.Context())
		d.ok(err)
		_, _, err = task.Rule(d.Context(), cur, task.Ruling{Run: id, Job: "ask", Signer: d.who["ada"]})
		d.ok(err)
		approved[id] = ref(d, id)
		ids = append(ids, id)
	}
	hub := d.hub()
	d.reopen()
	equip(d)
	d.git("--git-dir", hub, "update-ref", "refs/assent/runs/"+ids[1], asked[ids[1]]) // the hub knows of some what happened here, and of others less
	d.git("--git-dir", hub, "update-ref", "-d", "refs/assent/runs/"+ids[2])
	other := d.clone(t)
	d.ok(os.RemoveAll(filepath.Join(os.Getenv("ASSENT_HOME"), "used")))
	equip(other)
	first := os.Getenv("ASSENT_HOME")
	for i, id := range ids[:3] {
		out, err := task.Advance(d.Context(), d.Workspace, id)
		d.ok(err)
		if out.Outcome != run.Completed || runs != i+1 {
			t.Fatalf("%q, %q, %d runs", out.Outcome, out.Waits, runs)
		}
		d.ok(os.RemoveAll(filepath.Join(first, "used"))) // both use one folder here
	}
	n := 0
	for hours := range 34 {
		for _, id := range ids[:3] {
			now = d.clock.Add(time.Duration(hours) * 20 * time.Hour)
			other.git("update-ref", "refs/assent/runs/"+id, approved[id])
			d.ok(os.RemoveAll(filepath.Join(first, "used")))
			before := runs
			_, err := task.Advance(t.Context(), other.Workspace, id)
			d.ok(err)
			if runs != before {
				d.succeeds("the second machine ran %s again, %d hours later", id, 20*hours)
			}
			n++
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
	now = d.clock
	if out, err := task.Advance(t.Context(), other.Workspace, ids[3]); err != nil || out.Outcome != run.Completed {
		t.Errorf("what no one began: %v, %q, %q", err, out.Outcome, out.Waits)
	}
}
