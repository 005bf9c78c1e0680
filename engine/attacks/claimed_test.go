package attacks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
)

func claimedDefences() map[string]defence {
	const claimed = "TestAttackClaimedEnd/"
	return map[string]defence{
		"claimed-merges-end-nothing":     {attack: claimed + "merged as nowhere, state merged"},
		"states-of-events-hide-nothing":  {attack: claimed + "comment as nowhere, state closed", instead: "return true"},
		"merges-bring-the-proposal-file": {attack: claimed + "merging as main, state open"},
	}
}

// claimedCommits are commits that a false event can call the merge of a proposal.
func (d *world) claimedCommits(p forge.Pull, other tree.Hash) map[string]tree.Hash {
	d.Helper()
	return map[string]tree.Hash{
		"nowhere":                tree.BlobHash([]byte("nowhere")),
		"main":                   d.main(),
		"the genesis":            d.before,
		"another merge":          other,
		"its head":               p.Head,
		"its merge beside main":  d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()}, "Merge it", d.treeOf(p.Head), d.main(), p.Head),
		"a child without a file": d.commit("Nothing", []tree.Hash{d.main()}),
	}
}

// An event that claims an end of an open proposal, by its kind or by the state that it names, hides
// nothing: the proposal is listed, the claim is named, and it can be merged.
func TestAttackClaimedEnd(t *testing.T) {
	d := newWorld(t)
	other := d.merged(skill("clove-hitch"))
	merged, err := d.Record.Get(d.Context(), other.ID)
	d.ok(err)
	p := d.proposed("kublai", skill("sheet-bend"))
	d.approved(p.ID, "ada")
	ref := local.PullPrefix + p.ID
	honest := d.ref(ref)
	n := 0
	for what, commit := range d.claimedCommits(p, merged.Merge) {
		for _, kind := range []string{"merged", "merging", "comment", "advice", "sung-about"} {
			for _, state := range []string{"merged", "closed", "open", ""} {
				n++
				t.Run(fmt.Sprintf("%s as %s, state %s", kind, what, state), func(t *testing.T) {
					d := *d
					d.T = t
					fields := map[string]string{"Commit": commit.String()}
					if state != "" {
						fields["State"] = state
					}
					d.record(p.ID, journal.Event{Kind: kind, At: d.tick(), By: "bob", Fields: fields, Files: actorFile("bob")})
					defer d.put(ref, honest)
					d.remainsOpen(p.ID, kind == "merged", commit)
				})
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
	t.Run("merged all the same", func(t *testing.T) {
		d := d.clone(t)
		d.record(p.ID, journal.Event{Kind: "merged", At: d.tick(), By: "bob", Fields: map[string]string{"Commit": d.main().String(), "State": "merged"}})
		if out := d.merge(p.ID); !out.Merged {
			d.succeeds("it cannot be merged: %q", out.Refused)
		}
		now, err := d.Record.Get(d.Context(), p.ID)
		d.ok(err)
		if now.State != forge.Merged || now.Merge != d.main() || !now.Claimed.IsZero() {
			d.Errorf("then it is %+v", now)
		}
		found, err := audit.Verify(d.Context(), d.Workspace, nil)
		d.ok(err)
		if found.Broken != nil {
			d.Errorf("the audit says %+v", found.Broken)
		}
	})
	t.Run("folded with the claim", func(t *testing.T) {
		d := d.clone(t)
		d.record(p.ID, journal.Event{Kind: "merged", At: d.tick(), By: "bob", Fields: map[string]string{"Commit": d.main().String(), "State": "merged"}})
		says := fmt.Sprintf(`{"id":%q,"number":0,"title":%q,"branch":%q,"base":"main","head":%q,"author":{"name":"kublai"},"state":"merged","merge":%q,"opened":%q,"updated":%q}`,
			p.ID, p.Title, p.Branch, p.Head, d.main(), p.Opened.Format(time.RFC3339), d.tick().Format(time.RFC3339))
		_, err := local.Shelf().Fold(d.Repo, d.tick(), []journal.Entry{{Name: p.ID, Head: d.ref(ref), Summary: []byte(says)}})
		d.ok(err)
		d.ok(d.Repo.Update(gitstore.RefUpdate{Name: ref, Old: d.ref(ref)}))
		found, err := audit.Elsewhere(d.Context(), d.Workspace)
		d.ok(err)
		if !slices.ContainsFunc(found, func(f forge.Pull) bool { return f.ID == p.ID }) {
			d.succeeds("the claim is not named: %+v", found)
		}
	})
}

// remainsOpen checks that an event ended no proposal, and that its claim of a merge is named.
func (d *world) remainsOpen(id string, claims bool, commit tree.Hash) {
	d.Helper()
	open, err := d.Record.List(d.Context(), forge.Filter{State: forge.Open})
	d.ok(err)
	if !slices.ContainsFunc(open, func(f forge.Pull) bool { return f.ID == id }) {
		d.succeeds("the proposal is listed no longer")
	}
	_, ex := d.examined(id)
	if ex.Case.Pull.State != forge.Open {
		d.succeeds("it is %s", ex.Case.Pull.State)
	}
	found, err := audit.Elsewhere(d.Context(), d.Workspace)
	d.ok(err)
	if named := slices.ContainsFunc(found, func(f forge.Pull) bool { return f.ID == id && f.Claimed == commit }); named != claims {
		d.succeeds("the claim of a merge is named: %v", named)
	}
}
