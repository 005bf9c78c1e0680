package attacks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// dated returns a commit of any date, with the first parent's tree and edits.
func (d *world) dated(at time.Time, message string, parents []tree.Hash, edits ...tree.Edit) tree.Hash {
	d.Helper()
	top, err := d.Repo.WriteTree(d.treeOf(parents[0]), edits)
	d.ok(err)
	return d.commitTree(gitstore.Person{Name: "Mallory", Email: "mallory@example.org", When: at}, message, top, parents...)
}

// A forged commit date prevents no merge, now or for later readers.
func TestAttackDates(t *testing.T) {
	century := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, at := range map[string]time.Time{"2099": century, "in an hour": start().Add(time.Hour)} {
		attack(t, "other work of "+name, func(d *world) {
			d.put(attest.MainRef, d.dated(at, "Docs", []tree.Hash{d.main()}, file("docs/knots.md", "Knots.\n")))
			d.goesOn()
		})
		attack(t, "a commit past the gate and its revert of "+name, func(d *world) {
			bad := d.dated(at, "Sneak in", []tree.Hash{d.main()}, skill("granny-knot"))
			d.put(attest.MainRef, d.dated(at, "Take it back", []tree.Hash{bad}, tree.Edit{Path: "skills/granny-knot/SKILL.md", Remove: true}))
			d.goesOn()
		})
		attack(t, "a proposal of "+name, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.pushed(p, d.dated(at, "More", []tree.Hash{p.Head}, skill("clove-hitch", "\nThen pull.\n")))
			d.approved(p.ID, "ada", "bob")
			if out := d.merge(p.ID); !out.Merged {
				d.succeeds("a date keeps it from merging: %s", out.Refused)
			}
			d.begin()
			d.unchanged()
		})
	}
}

// goesOn merges a proposal and checks that it is in force, for readers who remember and for
// newcomers.
func (d *world) goesOn() {
	d.Helper()
	p := d.proposed("kublai", skill("clove-hitch"))
	d.approved(p.ID, "ada", "bob")
	if out := d.merge(p.ID); !out.Merged {
		d.succeeds("a date keeps others from merging: %s", out.Refused)
		return
	}
	d.begin()
	d.unchanged()
}

// The advice never is to revert an honest merge whose evidence was damaged. It is to revert a
// commit that was not announced.
func TestAttackRevertAdvice(t *testing.T) {
	advised := func(d *world) string {
		fresh, err := d.Rejudged(d.Context(), func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
			_, _, err := d.Rejudge(ctx, before, c)
			return err
		})
		d.ok(err)
		if len(fresh.Blocked) == 0 {
			d.Fatal("nothing is blocked")
		}
		return fresh.Blocked[0].Remedy()
	}
	journal := func(p string) string { return "refs/assent/pulls/" + p }
	for name, damage := range map[string]func(d *world, id string){
		"its journal is deleted": func(d *world, id string) { d.git("update-ref", "-d", journal(id)) },
		"its journal is cut short": func(d *world, id string) {
			d.git("update-ref", journal(id), journal(id)+"~3")
		},
		"its journal is another commit": func(d *world, id string) {
			d.put(journal(id), d.commit("Garbage", nil, file("x", "y")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			p := d.merged(skill("clove-hitch"))
			damage(d, p.ID)
			if advice := advised(d); strings.Contains(advice, "revert") {
				d.succeeds("it advises to revert an honest merge: %s", advice)
			}
		})
	}
	attack(t, "a commit that nobody announced", func(d *world) {
		d.straight("Sneak in", skill("granny-knot"))
		if advice := advised(d); !strings.Contains(advice, "git revert") {
			d.Errorf("no advice to take it back: %s", advice)
		}
	})
}

func dateDefences() map[string]defence {
	return map[string]defence{
		"dates-of-other-work-bind-nothing": {attack: "TestAttackDates/other work of 2099", instead: "return w.Repo.Commit(st.InForce)"},
		"honest-merges-are-restored":       {attack: "TestAttackRevertAdvice/its journal is deleted"},
	}
}
