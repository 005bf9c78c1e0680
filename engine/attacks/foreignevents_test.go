package attacks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// An event in a form that assent does not write, which an audit refuses, is not accepted.
func TestAttackForeignEvent(t *testing.T) {
	attack(t, "a comment with another author and text", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		hub := d.copied()
		ref := local.PullPrefix + p.ID
		before := d.ref(ref)
		events, err := journal.ReadAt(d.Repo, before)
		d.ok(err)
		hub.git("update-ref", ref, hub.event(hub.treeOf(before).String(), "comment", events[len(events)-1].Sequence+1, "text", before.String()))
		_, err = exchange.Pull(d.Context(), d.Workspace, "origin", false)
		if d.ref(ref) != before {
			d.succeeds("it is on record here: %v", err)
		}
		found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
		d.ok(err)
		if len(found) != 1 || !found[0].Restorable {
			d.Fatalf("found %+v", found)
		}
		_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
		d.ok(err)
		if hub.ref(ref) != before {
			d.succeeds("it stays on the hub")
		}
	})
}

// foreignSteps are commits that read as a step of a run does, in other forms.
func (d *world) foreignSteps(step tree.Hash) (out []tree.Hash) {
	d.Helper()
	c, err := d.Repo.Commit(step)
	d.ok(err)
	next := c.Message
	subject, rest, _ := strings.Cut(next, "\n")
	for n := range 21 {
		other := gitstore.Person{Name: fmt.Sprint("M", n), Email: "m@example.org", When: c.Author.When}
		late := c.Author
		late.When = late.When.Add(time.Duration(n+1) * time.Second)
		for _, v := range []gitstore.Commit{
			{Message: next, Author: other, Committer: c.Committer},
			{Message: next, Author: c.Author, Committer: other},
			{Message: next, Author: late, Committer: c.Committer},
			{Message: subject + strings.Repeat("!", n+1) + "\n" + rest, Author: c.Author, Committer: c.Committer},
			{Message: subject + "\n\n" + strings.Repeat("x", n+1) + rest, Author: c.Author, Committer: c.Committer},
		} {
			v.Tree, v.Parents = c.Tree, c.Parents
			h, err := d.Repo.WriteCommit(v, nil)
			d.ok(err)
			out = append(out, h)
		}
	}
	d.ok(d.Repo.Sync())
	return out
}

// TestAttackForeignSteps: an audit refuses steps of runs in another form than this program writes, so they stay out.
func TestAttackForeignSteps(t *testing.T) {
	attack(t, "upon a run's journal", func(d *world) {
		_, build := d.braidingBy(pairFlow)
		id := build.Run.ID
		ref := runlog.Prefix + id
		whole := d.ref(ref)
		_, err := task.Claim(d.Context(), d.Workspace, build, "mongke")
		d.ok(err)
		steps := d.foreignSteps(d.ref(ref))
		d.put(ref, whole)
		if len(steps) < 100 {
			d.Errorf("%d variants", len(steps))
		}
		for n, step := range steps {
			if part, err := d.Runs.ReadablePart(id, step); err != nil || part != whole {
				d.Errorf("variant %d is read as a step: %s, %v", n, part.Short(), err)
			}
			_, err := d.Runs.Join(id, step, func(run.State) workflow.Workflow { return workflow.Workflow{} }, func(string, string) bool { return true })
			if d.ref(ref) != whole {
				d.succeeds("variant %d is on record here: %v", n, err)
				return
			}
		}
		hub := d.copied()
		hub.put(ref, steps[0])
		_, err = exchange.Pull(d.Context(), d.Workspace, "origin", false)
		if d.ref(ref) != whole {
			d.succeeds("it was pulled: %v", err)
		}
	})
}
