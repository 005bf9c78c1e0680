package attacks_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func undoneDefences() map[string]defence {
	return map[string]defence{
		"undone-merges-bring-their-proposal": {attack: "TestAttackUndoneMerge/named by other work"},
	}
}

// A merge can be undone, whatever other work on main claims to be that merge.
func TestAttackUndoneMerge(t *testing.T) {
	attack(t, "named by other work", func(d *world) {
		d.merged(skill("clove-hitch"))
		p := d.merged(skill("clove-hitch", "\nThen pull.\n"))
		main, n := d.main(), 0
		side := d.commit("Beside", []tree.Hash{main}, file("notes.txt", "beside\n"))
		const named = attest.ProposalTrailer + ": "
		for _, parents := range [][]tree.Hash{{side}, {main}, {side, main}, {}} {
			for _, trailers := range []string{named + p.ID, "assent-proposal: " + p.ID, named + p.ID + "\n" + named + p.ID, named + p.ID + "\nAssent-Approved-By: ada, bob",
				"Signed-off-by: ada\n" + named + p.ID, named + p.ID + "\nAssent-Risk: low"} {
				for _, path := range []string{"", "notes.txt", "docs/bowline.md", p.ID + ".md", "proposal/" + p.ID + ".md"} {
					d.other("Tidy\n\n"+trailers, parents, path, n)
					d.stillFound(p, n)
					n++
				}
			}
		}
		if n < 100 {
			d.Errorf("%d variants", n)
		}
		d.undoes(p)
	})
}

// other commits work outside the governed folders to main, with more parents.
func (d *world) other(message string, parents []tree.Hash, path string, i int) {
	d.Helper()
	var edits []tree.Edit
	if path != "" {
		edits = append(edits, file(path, fmt.Sprintf("tidy %d\n", i)))
	}
	d.put(attest.MainRef, d.commit(message, slices.Concat([]tree.Hash{d.main()}, parents), edits...))
}

// stillFound checks that validation takes the proposal's own merge for what an undo takes back.
func (d *world) stillFound(p forge.Pull, variant int) {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	if cur.InForce != cur.Main {
		d.Fatalf("variant %d is no other work: %v", variant, cur.Blocked)
	}
	view, err := cur.See(cur.InForce)
	d.ok(err)
	m, err := cur.Input(view, d.Now()).Merge(p.ID)
	d.ok(err)
	if m == nil {
		d.succeeds("variant %d: no merge is found that could be undone", variant)
		return
	}
	changes, err := tree.Diff(m.Before, m.After, "skills")
	d.ok(err)
	if len(changes) != 1 {
		d.succeeds("variant %d: a commit of other work passes for the merge", variant)
	}
}

// undoes checks that a proposal to undo a merge is judged as one.
func (d *world) undoes(p forge.Pull) {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	r, _, err := propose.Undo(cur, p)
	d.ok(err)
	undo := d.request("mongke", r.Edits...)
	undo.Proposal = r.Proposal
	out := d.asked(undo)
	if !out.Examined.Report.Passed || out.Examined.Case.Facts().Kind != string(proposal.Undo) {
		d.succeeds("the undo is judged as %s: %v", out.Examined.Case.Facts().Kind, out.Examined.Report.Diagnostics)
	}
}
