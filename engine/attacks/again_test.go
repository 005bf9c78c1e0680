package attacks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/validate"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func againDefences() map[string]defence {
	return map[string]defence{
		"proposals-merge-once": {attack: "TestAttackMergedAgain/a skill that was taken back", with: []string{"unsigned-claims-are-of-older-versions", "versions-do-not-go-back-for-an-excuse"}},
	}
}

// A change that was merged and undone is merged again with the approvals of the first time. An
// attacker who can push can write the journal, and claim that a program of another version judged
// it.
func TestAttackMergedAgain(t *testing.T) {
	for what, edits := range map[string]func(d *world) []tree.Edit{
		"a skill that was taken back": func(*world) []tree.Edit { return []tree.Edit{skill("clove-hitch")} },
		"a policy that was tightened": func(d *world) []tree.Edit {
			return []tree.Edit{file("policies/autonomy.yaml", "default: autonomous\n")}
		},
		"a person who was removed": func(d *world) []tree.Edit {
			return []tree.Edit{d.altered("policies/roles.yaml", "human: [ada, bob]", "human: [ada, bob, mallory]")}
		},
	} {
		attack(t, what, func(d *world) {
			p := d.proposed("mallory", edits(d)...)
			d.takenBack(p.ID)
			n := 0
			for _, version := range []string{"0.1.0", "0.3.9", "0.4.0", "0.4.1", "0.9.0", "", "x"} {
				for _, signer := range []string{"", "mallory", "second"} {
					for _, days := range []int{0, 1} {
						n++
						d.again(p.ID, version, signer, time.Duration(days)*24*time.Hour)
						if d.Failed() {
							d.Fatalf("version %q, signed by %q, after %d days", version, signer, days)
						}
					}
				}
			}
			d.Logf("%d variants", n)
		})
	}
}

// again merges a proposal a second time, on a branch with the same change.
func (d *world) again(id, version, signer string, later time.Duration) {
	d.Helper()
	now, main := d.clock, d.main()
	d.clock = d.clock.Add(later)
	pull, err := d.Forge.Get(d.Context(), id)
	d.ok(err)
	left, err := d.Repo.MergeBase(pull.Head, d.before)
	d.ok(err)
	merged, err := d.Repo.Commit(pull.Merge)
	d.ok(err)
	if left == pull.Head { // where the branch left main
		left, err = d.Repo.MergeBase(merged.Parents[0], pull.Head)
		d.ok(err)
	}
	head := d.commit(fmt.Sprintf("Again, %s%s%d", version, signer, later), []tree.Hash{left}, d.filesOf(pull)...)
	into, err := d.Repo.Commit(main)
	d.ok(err)
	result, err := d.Result(main, head)
	d.ok(err)
	d.forged(forgery{
		id: id, tree: result.Tree, parents: []tree.Hash{main, head}, signer: signer,
		report: func(r *validate.Report) {
			r.Engine, r.Base, r.Result = version, into.Tree.String(), result.Tree.String()
		},
	})
	d.put(attest.MainRef, main)
	d.clock = now
	d.reopen()
}
