package attacks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

func bypassedDefences() map[string]defence {
	const fresh, brings = "TestAttackBypassedMerge/the current main as second parent, journals kept", "TestAttackBranchWithMerges/"
	return map[string]defence{
		"announced-merges-are-on-main":        {attack: fresh},
		"seen-merges-stay-on-main":            {attack: "TestAttackBypassedMergeSeen"},
		"re-anchors-are-not-bypassed":         {attack: "TestAttackBypassedReanchor"},
		"unaccepted-re-anchors-break-nothing": {attack: "TestAttackUnpublishedReanchor/of an outsider, upon main, the current main as second parent, seen false"},
		"re-anchors-are-not-put-back":         {attack: "TestAttackBypassedReanchor"},
		"proposals-bring-no-merges":           {attack: brings + "trailers that name a human's key"},
	}
}

// detours return commits that make git take an old main for a continuation of the current one.
func detours() map[string]func(d *world, old, now tree.Hash) tree.Hash {
	return map[string]func(d *world, old, now tree.Hash) tree.Hash{
		"the current main as second parent": func(d *world, old, now tree.Hash) tree.Hash {
			return d.commit("Go on", []tree.Hash{old, now})
		},
		"as third parent": func(d *world, old, now tree.Hash) tree.Hash {
			side := d.commit("A side", []tree.Hash{old}, file("README.md", "side\n"))
			return d.commit("Go on", []tree.Hash{old, side, now})
		},
		"below other work": func(d *world, old, now tree.Hash) tree.Hash {
			return d.commit("Go on", []tree.Hash{old, d.commit("Other work", []tree.Hash{now}, file("README.md", "x\n"))})
		},
		"below a malformed commit": func(d *world, old, now tree.Hash) tree.Hash {
			h := d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nnonsense\n\nx\n", d.treeOf(now), now))
			return d.commit("Go on", []tree.Hash{old, d.parsed(h)})
		},
		"beside a root that cannot be read": func(d *world, old, now tree.Hash) tree.Hash {
			h := d.object("commit", fmt.Appendf(nil, "tree %s\nnonsense\n\nx\n", d.treeOf(now)))
			return d.commit("Go on", []tree.Hash{old, d.parsed(h), now})
		},
		"upon other work": func(d *world, old, now tree.Hash) tree.Hash {
			return d.commit("Go on", []tree.Hash{d.commit("Other work", []tree.Hash{old}, file("README.md", "x\n")), now})
		},
		"and more work upon it": func(d *world, old, now tree.Hash) tree.Hash {
			return d.commit("Go on again", []tree.Hash{d.commit("Go on", []tree.Hash{old, now})}, file("README.md", "x\n"))
		},
		"in the name of the merge": func(d *world, old, now tree.Hash) tree.Hash {
			c, err := d.Repo.Commit(now)
			d.ok(err)
			return d.commit(c.Message, []tree.Hash{old, now})
		},
		"of an old date": func(d *world, old, now tree.Hash) tree.Hash {
			return d.commitTree(gitstore.Person{Name: "assent", When: d.clock.AddDate(-30, 0, 0)}, "Go on", d.treeOf(old), old, now)
		},
		"with a change that is taken back": func(d *world, old, now tree.Hash) tree.Hash {
			bad := d.commit("Go on", []tree.Hash{old, now}, skill("granny-knot"))
			return d.commitTree(gitstore.Person{Name: "mallory", When: d.tick()}, "Back", d.treeOf(old), bad)
		},
		"with the file of the proposal": func(d *world, old, now tree.Hash) tree.Hash {
			record := strings.Fields(d.git("diff", "--name-only", old.String(), now.String(), "--", "proposals"))[0]
			bad := d.commit("Go on", []tree.Hash{old, now}, file(record, d.git("show", now.String()+":"+record)+"\n"))
			return d.commitTree(gitstore.Person{Name: "mallory", When: d.tick()}, "Back", d.treeOf(old), bad)
		},
	}
}

// bypassedRecords are the states in which the attacker leaves the merge's record on the hub.
func bypassedRecords() map[string]func(d tightened) {
	return map[string]func(d tightened){
		"kept":    func(tightened) {},
		"folded":  func(d tightened) { d.folded() },
		"deleted": func(d tightened) { d.git("update-ref", "-d", local.PullPrefix+d.pull.ID) },
	}
}

// A merge commit whose first parent is an old main, and which reaches the current main by another
// parent, is a fast-forward for git. A newcomer must not fall back to the old policies.
func TestAttackBypassedMerge(t *testing.T) {
	base := newTightened(t)
	for name, detour := range detours() {
		for record, damage := range bypassedRecords() {
			t.Run(name+", journals "+record, func(t *testing.T) {
				d := base.copied(t)
				c, err := d.Repo.Commit(d.at)
				d.ok(err)
				old := c.Parents[0]
				damage(d)
				d.put(attest.MainRef, detour(d.world, old, d.at))
				d.bypassed(old, d.at)
			})
		}
	}
}

// A reader who saw other work upon a merge follows a main that has that work beside its line, but
// not without the merge.
func TestAttackBypassedMergeSeen(t *testing.T) {
	d := newTightened(t)
	merged, err := d.Repo.Commit(d.at)
	d.ok(err)
	old := merged.Parents[0]
	work := d.commit("Other work", []tree.Hash{d.at}, file("README.md", "x\n"))
	d.put(attest.MainRef, work)
	_, err = d.Session(d.Context())
	d.ok(err)
	for name, parents := range map[string][]tree.Hash{
		"the work as second parent": {old, work}, "as third parent": {old, d.at, work}, "without the work": {old, d.at}, "the old main": {old},
	} {
		d.put(attest.MainRef, d.commit("Go on", parents))
		if cur, err := d.Session(d.Context()); !errors.Is(err, attest.ErrRollback) {
			d.succeeds("%s: it is in force at %s, %v", name, cur.InForce.Short(), err)
		}
	}
	joined := d.commitTree(gitstore.Person{Name: "bob", Email: "bob@example.org", When: d.tick()}, "Join", d.treeOf(work), d.at, work)
	d.put(attest.MainRef, joined)
	if cur, err := d.Session(d.Context()); err != nil || cur.InForce != joined {
		d.Errorf("joined, it is in force at %s, %v", cur.InForce.Short(), err)
	}
}

// bypassed checks that a newcomer stops at a main that bypasses a commit, and that a clone which
// saw only the old main keeps it and reports the break.
func (d *world) bypassed(old, bypassed tree.Hash) {
	d.Helper()
	for _, saw := range []bool{false, true} {
		d.Setenv("ASSENT_HOME", d.TempDir())
		d.reopen()
		if saw {
			genesis, err := attest.Begins(d.Context(), d.Repo, old, attest.Seen{})
			d.ok(err)
			d.ok(d.Memory().Saw(d.Context(), genesis, old))
		}
		cur, stopped, err := d.Look(d.Context())
		d.ok(err)
		if cur.InForce != old && cur.Break() == nil {
			d.succeeds("the old main is in force at %s", cur.InForce.Short())
			return
		}
		if b := cur.Break(); b == nil || b.Bypassed != bypassed || b.ToResolve == "" || saw != (stopped == nil) {
			d.Errorf("blocked %+v, stopped %v", cur.Blocked, stopped)
		}
	}
	cur, _, err := d.Look(d.Context())
	d.ok(err)
	d.wayOut(cur.Break().ToResolve, bypassed)
	res, err := audit.Verify(d.Context(), d.Workspace, nil)
	d.ok(err)
	if res.Broken == nil {
		d.succeeds("audit verify finds nothing")
	}
	anew, err := d.Rejudged(d.Context(), func(ctx context.Context, before attest.Standing, c gitstore.Commit) error {
		_, _, err := d.Rejudge(ctx, before, c)
		return err
	})
	d.ok(err)
	d.outsider(anew)
}

// wayOut checks that the commit which the remedy makes puts the bypassed one back into force, for a
// newcomer.
func (d *world) wayOut(remedy string, bypassed tree.Hash) {
	d.Helper()
	_, command, given := strings.Cut(remedy, "$(")
	command, _, _ = strings.Cut(command, ")\"")
	if !given {
		return
	}
	main := d.main()
	defer d.put(attest.MainRef, main)
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = d.dir, append(os.Environ(), "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@example.org", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("%s: %v: %s", command, err, out)
	}
	joined, err := tree.ParseHash(strings.TrimSpace(string(out)))
	d.ok(err)
	d.put(attest.MainRef, joined)
	d.Setenv("ASSENT_HOME", d.TempDir())
	d.reopen()
	cur, stopped, err := d.Look(d.Context())
	d.ok(err)
	on := len(cur.Blocked) > 0 && stopped != nil // for the merge itself: its journal is gone
	d.ok(d.Repo.Lineage(cur.InForce, func(c gitstore.Commit) (bool, error) {
		on = on || c.Hash == bypassed
		return !on, nil
	}))
	if b := cur.Break(); !on || b != nil && !b.Bypassed.IsZero() {
		d.Errorf("with %s it is in force at %s: %+v", command, cur.InForce.Short(), cur.Blocked)
	}
}

// A re-anchor that this user accepted revokes the old keys, so it must not be bypassed either. No
// remedy puts its files on main.
func TestAttackBypassedReanchor(t *testing.T) {
	d := newWorld(t)
	old := d.main()
	r := d.rebased(d.honestRebase())
	d.accepts(d.before.String(), r, "second")
	d.put(attest.MainRef, d.commit("Go on", []tree.Hash{old, r}))
	cur, _, err := d.Look(d.Context())
	d.ok(err)
	b := cur.Break()
	if b == nil || b.Bypassed != r || cur.InForce != old {
		d.succeeds("the old main is in force at %s: %+v", cur.InForce.Short(), cur.Blocked)
		return
	}
	if strings.Contains(b.ToResolve+b.Restore, "commit-tree") {
		d.succeeds("the remedy is %s", b.ToResolve)
	}
}

// An attacker without a listed key writes a re-anchor in ada's name, does not publish it, and pushes a
// commit that leads to it and changes nothing. No reader reports a break or
// names a person as its announcer, and no remedy leads to the attacker's roles.yaml.
func TestAttackUnpublishedReanchor(t *testing.T) {
	base := newWorld(t)
	old := base.main()
	base.merged(skill("clove-hitch"))
	now, n := base.main(), 0
	genesis, ways := base.id(), detours()
	delete(ways, "with the file of the proposal")
	upon := map[string]func(d *world) []tree.Hash{
		"main":        func(*world) []tree.Hash { return []tree.Hash{now} },
		"an old main": func(*world) []tree.Hash { return []tree.Hash{old} },
		"roles of the attacker": func(d *world) []tree.Hash {
			own := strings.Replace(d.inForce("policies/roles.yaml"), d.plainKey("ada"), d.plainKey("second"), 1)
			return []tree.Hash{d.commit("Mine", []tree.Hash{now}, file("policies/roles.yaml", own))}
		},
	}
	for whose, alter := range map[string]func(d *world, r *rebase){
		"of an outsider": func(*world, *rebase) {},
		"of an agent": func(d *world, r *rebase) {
			r.signer = d.who["mongke"]
			r.roles = strings.ReplaceAll(r.roles, d.plainKey("second"), d.plainKey("mongke"))
		},
		"in a long reason": func(_ *world, r *rebase) {
			r.trailers = attest.ReasonTrailer + ": " + strings.Repeat("ada says so ", 20) + "\n" + attest.ReanchorTrailer + ": " + genesis + "\n"
		},
		"that names a merger": func(d *world, r *rebase) {
			r.trailers += "Assent-Reviewed-By: " + string(d.who["ada"].Fingerprint()) + "\n"
		},
	} {
		for where, parents := range upon {
			for how, lead := range ways {
				for _, saw := range []bool{true, false} {
					n++
					t.Run(fmt.Sprintf("%s, upon %s, %s, seen %t", whose, where, how, saw), func(t *testing.T) {
						d := base.clone(t)
						r := d.honestRebase()
						r.parents = parents(d)
						alter(d, &r)
						h := d.rebased(r)
						d.put(attest.MainRef, lead(d, now, h))
						if !saw {
							d.Setenv("ASSENT_HOME", d.TempDir())
						}
						d.reopen()
						cur, stopped, err := d.Look(d.Context())
						d.ok(err)
						if cur.Break() != nil || stopped != nil {
							d.succeeds("readers stop: %v, %+v", stopped, cur.Blocked)
						}
						d.outsider(cur)
						for _, b := range cur.Blocked {
							if b.AnnouncedBy != "" || strings.Contains(b.Remedy(), h.Short()) {
								d.succeeds("%s is named, and the remedy is %s", b.AnnouncedBy, b.Remedy())
							}
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

// A branch must not bring announced merges that main lacks: readers would take the merge of the
// proposal for a bypass, and newcomers would stop. So an agent cannot forge one.
func TestAttackBranchWithMerges(t *testing.T) {
	attack(t, "trailers that name a human's key", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		message := "Merge forged-k3v9q2mt\n\n" + attest.ProposalTrailer + ": forged-k3v9q2mt\n" + attest.AttesterTrailer + ": " + string(d.who["ada"].Fingerprint())
		forged := d.commit(message, []tree.Hash{p.Head}, file("proposals/2026/03/10/forged-k3v9q2mt.md", "x\n"))
		back := d.commitTree(gitstore.Person{Name: "kublai", Email: "kublai@example.org", When: d.tick()}, "Back", d.treeOf(p.Head), forged)
		d.pushed(p, back)
		d.approved(p.ID, "ada", "bob")
		before := d.main()
		out, err := merge.Run(d.Context(), d.Workspace, p.ID, forge.Actor{Name: "kublai"}, false)
		if d.main() != before {
			d.succeeds("the branch merges with what newcomers stop at")
			return
		}
		d.ok(err)
		d.because(out.Refused, "announced as a merge and which main lacks", "assent rebase")
	})
	t.Run("an older and a newer main in a branch are no bypass", func(t *testing.T) {
		d := newTightened(t)
		p := d.proposed("kublai", skill("clove-hitch"))
		d.merged(skill("sheet-bend"))
		joined, err := d.Result(d.main(), p.Head)
		d.ok(err)
		d.pushed(p, d.commitTree(gitstore.Person{Name: "kublai", Email: "kublai@example.org", When: d.tick()}, "Take in main", joined.Tree, p.Head, d.main()))
		d.approved(p.ID, "ada", "bob")
		if out := d.merge(p.ID); !out.Merged {
			t.Fatal(out.Refused)
		}
		d.begin()
		d.unchanged()
	})
	t.Run("a merge that was dropped and made again is no bypass", func(t *testing.T) {
		d := newTightened(t)
		c, err := d.Repo.Commit(d.at)
		d.ok(err)
		p := d.proposed("kublai", skill("clove-hitch")) // upon the merge that is dropped
		d.Setenv("ASSENT_HOME", d.TempDir())
		d.put(attest.MainRef, d.commit("Others were faster", []tree.Hash{c.Parents[0]}, file("README.md", "x\n")))
		d.rewrites(func(all []journal.Event) []journal.Event {
			return all[:slices.IndexFunc(all, func(ev journal.Event) bool { return ev.Kind == "merging" })]
		})
		d.reopen()
		d.Attester = d.who["ada"]
		for _, id := range []string{d.pull.ID, p.ID} {
			if id == p.ID {
				d.approved(id, "ada", "bob")
			}
			if out := d.merge(id); !out.Merged {
				t.Fatal(id, out.Refused)
			}
		}
		if _, err := d.Session(d.Context()); err != nil {
			t.Error(err)
		}
		d.begin()
		d.unchanged()
	})
}
