package attacks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func unlistedDefences() map[string]defence {
	const unlisted, voiding = "TestAttackUnlistedRejection/", "TestAttackVoidingRejection/"
	return map[string]defence{
		"rejections-are-derived":                    {attack: unlisted + "the same, ada said reject, left closed/unsigned"},
		"a-merge-is-not-older-than-its-reviews":     {attack: unlisted + "a removal, bob said reject, left closed/dated before the objection"},
		"taken-content-is-compared":                 {attack: unlisted + "the same, bob said reject, taken into main and out again/unsigned"},
		"objections-count-by-their-date":            {attack: voiding + "a later rejection"},
		"reviews-count-in-the-order-of-their-dates": {attack: voiding + "a request that was taken back, recorded late"},
	}
}

// objected is a change to which a human objects, and another proposal of it.
type objected struct {
	first, again []tree.Edit
	goal         string // of the second one
	// approvals that the second one needs if nobody objected to the first one.
	approvals []string
}

func objectedChanges() map[string]objected {
	renamed := func(text string) tree.Edit {
		e := skill("bowline-on-a-bight", text)
		return file("skills/rescue-loop/SKILL.md", strings.ReplaceAll(content(e), "bowline-on-a-bight", "rescue-loop"))
	}
	first := skill("bowline-on-a-bight", knotText)
	gone := tree.Edit{Path: "skills/reef-knot/SKILL.md", Remove: true}
	more := skill("sheet-bend", strings.Repeat("\nAnother rope, another day, and always the same two hands that have to know where each end goes.\n", 9))
	return map[string]objected{
		"the same":          {first: []tree.Edit{first}, again: []tree.Edit{first}},
		"the same, renamed": {first: []tree.Edit{first}, again: []tree.Edit{renamed(knotText)}},
		"reworded":          {first: []tree.Edit{first}, again: []tree.Edit{renamed(strings.Replace(knotText, "slowly", "gently", 1))}},
		"a part":            {first: []tree.Edit{first, skill("sheet-bend")}, again: []tree.Edit{renamed(knotText)}},
		"beside more":       {first: []tree.Edit{first}, again: []tree.Edit{renamed(knotText), more}},
		"a removal":         {first: []tree.Edit{gone}, again: []tree.Edit{gone}, approvals: []string{"ada"}},
		"the same goal":     {first: []tree.Edit{first}, again: []tree.Edit{skill("granny-knot")}, goal: "Learn to tie - a knot"},
	}
}

// afterObjection are the acts of those whose proposal was objected to.
func afterObjection() map[string]func(d *world, p forge.Pull) {
	return map[string]func(d *world, p forge.Pull){
		"left closed": func(*world, forge.Pull) {},
		"withdrawn":   (*world).withdrawn,
		"laid over": func(d *world, p forge.Pull) {
			open, err := d.Record.Get(d.Context(), p.ID)
			d.ok(err)
			if open.State == forge.Open {
				_, err := propose.Update(d.Context(), d.Workspace, p.ID, d.request("kublai", skill("timber-hitch")))
				d.ok(err)
			}
			d.withdrawn(p)
		},
		"taken into main and out again": func(d *world, p forge.Pull) {
			d.withdrawn(p)
			before := d.treeOf(d.main())
			now, err := d.Record.Get(d.Context(), p.ID)
			d.ok(err)
			d.put(attest.MainRef, now.Head)
			out := d.commit("Take it back", []tree.Hash{d.main()})
			c, err := d.Repo.Commit(out)
			d.ok(err)
			d.put(attest.MainRef, d.commitTree(c.Author, "Take it back", before, d.main()))
		},
	}
}

// A human objected to a change. It is proposed again, and merged by a program that leaves the
// objection out of the attestation, with the approvals that the change needs without it.
func TestAttackUnlistedRejection(t *testing.T) {
	base := autonomous(t)
	n := 0
	for what, in := range objectedChanges() {
		for _, by := range []string{"ada", "bob"} {
			for _, said := range []review.Decision{review.Reject, review.RequestChanges} {
				for after, act := range afterObjection() {
					if !pairs(what, by, said, after) {
						continue
					}
					n += len(unbelieved(in))
					t.Run(fmt.Sprintf("%s, %s said %s, %s", what, by, said, after), func(t *testing.T) {
						d := base.clone(t)
						first := d.proposed("kublai", in.first...)
						at := d.clock
						d.decided(first.ID, said, by)
						act(d, first)
						p := d.proposedAgain(in)
						for how, alter := range unbelieved(in) {
							t.Run(how, func(t *testing.T) {
								f := forgery{id: p.ID}
								alter(&f, at)
								d.clone(t).unbelieved(f)
							})
						}
					})
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// withdrawn withdraws a proposal that is open.
func (d *world) withdrawn(p forge.Pull) {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	open, err := d.Record.Get(d.Context(), p.ID)
	d.ok(err)
	if open.State == forge.Open {
		_, err = propose.Withdraw(d.Context(), cur, open, forge.Actor{Name: "kublai", Email: "kublai@example.org"}, "")
		d.ok(err)
	}
}

// autonomous is a world in which low risk needs no approval.
func autonomous(t *testing.T) *world {
	d := newWorld(t)
	d.merged(d.altered("policies/autonomy.yaml", "default: assisted", "default: autonomous"))
	return d
}

// proposedAgain proposes a change again, with the approvals that it needs if nobody objected.
func (d *world) proposedAgain(in objected) forge.Pull {
	d.Helper()
	d.clock = d.clock.Add(workspace.OnItsWay)
	r := d.request("mongke", in.again...)
	if r.Proposal.Goal = in.goal; in.goal == "" {
		r.Proposal.Goal = "ties faster than before"
	}
	out := d.asked(r)
	if !out.Opened {
		d.Fatal(out.Diagnostics)
	}
	d.approved(out.Pull.ID, in.approvals...)
	return out.Pull
}

// unbelieved checks that a merge, whose attestation no human and no witness signed, is refused as
// judged again. A listed key makes it a break.
func (d *world) unbelieved(f forgery) {
	d.Helper()
	if f.signer == "" || f.signer == "second" {
		d.forged(f, "judged again it is")
		return
	}
	d.forge(f)
	d.stops()
}

// unbelieved are attestations that leave an objection out, by their signer, list or date.
func unbelieved(in objected) map[string]func(f *forgery, objectedAt time.Time) {
	listing := func(r ...policy.Rejection) func(*forgery, time.Time) {
		return func(f *forgery, _ time.Time) { f.alter = func(a *attest.Attestation) { a.Rejected = r } }
	}
	signed := func(who string) func(*forgery, time.Time) {
		return func(f *forgery, _ time.Time) { f.signer = who }
	}
	out := map[string]func(*forgery, time.Time){
		"unsigned": signed(""), "signed by a lead": signed("mallory"), "signed by an agent": signed("mongke"), "signed by a stranger": signed("second"),
		"with an empty list": listing([]policy.Rejection{}...), "with a rejection without an id": listing(policy.Rejection{By: "bob", Same: policy.SameGoal}),
	}
	// Without a signed review the merge can claim to be older: docs/rough-edges.md.
	if len(in.approvals) > 0 {
		out["dated before the objection"] = func(f *forgery, at time.Time) {
			f.alter = func(a *attest.Attestation) { a.At = at }
		}
	}
	return out
}

// pairs leaves out combinations in which nothing is new, and an open proposal, beside which the same
// cannot be proposed.
func pairs(what, by string, said review.Decision, after string) bool {
	first := map[review.Decision]string{review.Reject: "left closed", review.RequestChanges: "withdrawn"}[said]
	switch {
	case said == review.RequestChanges && after == "left closed":
		return false
	case what == "the same goal": // requests for changes let others propose the same goal
		return said == review.Reject && after == first
	case what == "the same", what == "a removal":
		return by == "bob" || after == first
	}
	return by == "bob" && after == first
}

// What readers derive voids no honest merge: later records, copies of old ones and objections of those
// who are no humans change nothing, and neither does an objection that a human took back.
func TestAttackVoidingRejection(t *testing.T) {
	base := autonomous(t)
	in := objectedChanges()["the same"]
	objects := func(d *world, who string) {
		p := d.proposed("kublai", in.first...)
		d.rejected2(p.ID, who)
		d.withdrawn(p)
	}
	inForce := func(d *world, f forgery) {
		d.Helper()
		want := d.forge(f)
		d.reopen()
		for _, read := range []func() (workspace.Session, error){func() (workspace.Session, error) { return d.Session(d.Context()) }, d.newReader} {
			if cur, err := read(); err != nil || cur.InForce != want {
				d.succeeds("a merge that needs no approval is not in force: %v %v", cur.Blocked, err)
			}
		}
	}
	for name, run := range map[string]func(d *world){
		"a later rejection": func(d *world) {
			first := d.proposed("kublai", in.first...)
			d.withdrawn(first)
			want := d.forge(forgery{id: d.proposedAgain(in).ID})
			d.clock = d.clock.Add(time.Hour)
			d.rejected2(first.ID, "bob")
			d.reopen()
			if cur, err := d.newReader(); err != nil || cur.InForce != want {
				d.succeeds("a later rejection voids a merge: %v %v", cur.Blocked, err)
			}
		},
		"a request that was taken back, recorded late": func(d *world) {
			first := d.proposed("kublai", in.first...)
			asks, back := d.approval(first.ID), d.approval(first.ID)
			asks.Decision, asks.Reason, back.Decision = review.RequestChanges, "no", review.Revoke
			for _, rec := range []review.Record{back, asks} {
				d.filed(first.ID, rec, d.signed("bob", rec))
			}
			d.withdrawn(first)
			inForce(d, forgery{id: d.proposedAgain(in).ID})
		},
		"a lead's":     func(d *world) { objects(d, "mallory"); inForce(d, forgery{id: d.proposedAgain(in).ID}) },
		"an agent's":   func(d *world) { objects(d, "mongke"); inForce(d, forgery{id: d.proposedAgain(in).ID}) },
		"a stranger's": func(d *world) { objects(d, "second"); inForce(d, forgery{id: d.proposedAgain(in).ID}) },
		"a human signs a list without it": func(d *world) {
			objects(d, "bob")
			inForce(d, forgery{id: d.proposedAgain(in).ID, signer: "ada"})
		},
		"one that arrives late, and a checkpoint of a human": func(d *world) {
			objects(d, "bob")
			p := d.proposedAgain(in)
			cur, err := d.Session(d.Context())
			d.ok(err)
			c, err := d.Repo.Commit(d.forge(forgery{id: p.ID}))
			d.ok(err)
			for who, counts := range map[string]bool{"ada": true, "warden": true, "mallory": false, "mongke": false, "second": false} {
				_, _, err := d.Rejudge(d.Context(), cur.Standing, c, policy.Actor{Key: d.who[who].Fingerprint()})
				if (err == nil) != counts {
					d.succeeds("with a checkpoint of %s it is judged: %v", who, err)
				}
			}
		},
		"of another goal and content": func(d *world) {
			objects(d, "bob")
			inForce(d, forgery{id: d.proposedAgain(objected{again: []tree.Edit{skill("granny-knot")}}).ID})
		},
	} {
		t.Run(name, func(t *testing.T) { run(base.clone(t)) })
	}
}
