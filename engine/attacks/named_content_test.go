package attacks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/journal"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// unfit is a commit that cannot be judged.
type unfit struct {
	name string
	hash tree.Hash
}

// unfits makes commits on top of on: with malformed, vast or missing objects in any folder,
// without a common history, and objects that are no commits.
func (d *world) unfits(on tree.Hash) []unfit {
	d.Helper()
	blob := d.object("blob", []byte("x\n"))
	file := raw{"100644", "a", blob}
	nowhere := strings.Repeat("1", 40)
	hash := func(s string) tree.Hash {
		h, err := tree.ParseHash(s)
		d.ok(err)
		return h
	}
	commit := func(headers string) tree.Hash {
		return hash(d.object("commit", fmt.Appendf(nil, "%sauthor M <m@example.org> %d +0000\ncommitter M <m@example.org> %[2]d +0000\n\nMore\n", headers, d.clock.Unix())))
	}
	top := d.treeOf(on).String()
	at := func(tree string, parents ...string) tree.Hash {
		headers := "tree " + tree + "\n"
		for _, p := range parents {
			headers += "parent " + p + "\n"
		}
		return commit(headers)
	}
	out := []unfit{
		{"a commit in no repository", hash(nowhere)}, {"a tree", hash(top)}, {"a file", hash(blob)}, {"nothing", tree.Hash{}},
		{"a commit without history", at(top)}, {"a commit upon nothing", at(top, nowhere)}, {"a commit of no tree", at(nowhere, on.String())},
		{"a commit of a file", at(blob, on.String())}, {"a commit of two trees", commit("tree " + top + "\ntree " + top + "\nparent " + on.String() + "\n")},
		{"a commit whose parent is a tree", at(top, top)}, {"a commit of a malformed tree", at(d.tree([]raw{file, file}), on.String())},
	}
	for _, folder := range []string{"skills", "soul", "policies", "proposals", "workflows", "zz"} {
		for _, e := range []raw{
			{"40000", "an entry twice", d.tree([]raw{file, file})},
			{"40000", "entries in disorder", d.tree([]raw{{"100644", "b", blob}, file})},
			{"40000", "an odd mode", d.tree([]raw{{"0100644", "a", blob}})},
			{"40000", "an unsafe name", d.tree([]raw{{"100644", "..", blob}})},
			{"40000", "a missing tree", nowhere},
			{"100644", "a missing file", nowhere},
			{"40000", "a file as a tree", blob},
		} {
			out = append(out, unfit{e.name + " in " + folder, at(d.grafted(top, []string{folder, "aaa.md"}, e.mode, e.hash), on.String())})
		}
	}
	for _, folder := range []string{"skills", "zz"} {
		out = append(out, unfit{"a vast folder in " + folder, at(d.grafted(top, []string{folder, "aaa.md"}, "40000", d.vast(30)), on.String())})
	}
	return out
}

// A journal that names unjudgeable commits as pushes neither voids an honest merge nor stops its
// readers, whether it was rewritten or added beside a folded honest one.
func TestAttackForgedPushes(t *testing.T) {
	live := newTightened(t)
	unfits := live.unfits(live.pull.Head)
	folded := live.copied(t)
	folded.folded()
	n := 0
	for i, u := range unfits {
		for j, place := range []string{"rewritten", "live", "another fold"} {
			shape := pushShapes(u.hash)[(i/3+j)%2]
			n++
			t.Run(place+": "+shape.name+" "+u.name, func(t *testing.T) {
				d := folded.copied(t)
				head := d.pushing(shape.heads...)
				if place == "rewritten" {
					d.drops()
				}
				if place == "another fold" {
					d.folds("2999", head)
				} else {
					d.put(local.PullPrefix+d.pull.ID, head)
				}
				d.takenBack()
				d.readers(stands)
			})
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// pushShape is a series of pushes to insert in a journal. Marked pushes claim to be made by the
// engine.
type pushShape struct {
	name  string
	heads []forgedPush
}

type forgedPush struct {
	to     tree.Hash // zero for the proposal's head
	engine bool
}

func pushShapes(to tree.Hash) []pushShape {
	return []pushShape{
		{"the engine pushes", []forgedPush{{to, true}, {engine: true}}},
		{"the engine goes on from", []forgedPush{{to, false}, {engine: true}}},
	}
}

// pushing writes the journal with pushes inserted after its opening, dated like it.
func (d tightened) pushing(pushes ...forgedPush) tree.Hash {
	d.Helper()
	events := d.events()
	var history []journal.Event
	add := func(ev journal.Event) {
		stored, err := journal.Continue(d.Repo, history, ev)
		d.ok(err)
		history = append(history, stored)
	}
	for _, ev := range events {
		if add(ev); ev.Sequence > 1 {
			continue
		}
		for _, p := range pushes {
			if p.to.IsZero() {
				p.to = d.pull.Head
			}
			add(journal.Event{Kind: "pushed", At: ev.At, By: "assent", Files: actorFile("assent"),
				Fields: map[string]string{"Head": p.to.String(), "Engine": fmt.Sprint(p.engine)}})
		}
	}
	d.ok(d.Repo.Sync())
	return history[len(history)-1].Commit
}

// A merge past the gate whose branch has a commit that cannot be judged blocks only itself. It is
// a break if it names a listed key. The program and assent-verify agree.
func TestAttackUnfitBranch(t *testing.T) {
	base := newTightened(t)
	p := base.proposed("kublai", skill("clove-hitch"))
	_, ex := base.examined(p.ID)
	unfits := base.unfits(p.Head)
	ref := local.PullPrefix + p.ID
	main, honest := base.main(), base.ref(ref)
	n := 0
	for _, u := range unfits {
		if u.hash.IsZero() { // cannot be written as a parent
			continue
		}
		for _, keyed := range []bool{false, true} {
			n++
			t.Run(fmt.Sprintf("%s, keyed %v", u.name, keyed), func(t *testing.T) {
				w := *base.world
				w.T = t
				d := tightened{world: &w, pull: p, at: base.at}
				defer func() { // copying the world would cost more than the attack
					d.put(attest.MainRef, main)
					d.put(ref, honest)
				}()
				head := d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()}, "Back again", d.treeOf(p.Head), u.hash)
				d.record(p.ID, journal.Event{Kind: "pushed", By: "m", Fields: map[string]string{"Head": head.String()}, Files: actorFile("m")})
				trailer := ""
				if keyed {
					trailer = "\n" + attest.AttesterTrailer + ": " + string(d.who["ada"].Fingerprint())
				}
				c := d.merges(p.ID, ex.Result.Tree, head, trailer)
				if keyed { // taken back
					d.put(attest.MainRef, d.commitTree(gitstore.Person{Name: "m", Email: "m@example.org", When: d.tick()}, "Take it back", d.treeOf(d.at), c))
				}
				want := blocked
				if keyed {
					want = breaks
				}
				d.readers(want)
			})
		}
	}
	if n < 100 {
		t.Errorf("%d variants", n)
	}
}

// merges puts a merge on main that is announced without a signature.
func (d *world) merges(id string, top, head tree.Hash, trailer string) tree.Hash {
	d.Helper()
	cur, err := d.Session(d.Context())
	d.ok(err)
	at := d.tick()
	h := d.commitTree(gitstore.Person{Name: "assent", Email: "engine@assent.invalid", When: at}, "Merge it\n\n"+attest.ProposalTrailer+": "+id+trailer, top, cur.Main, head)
	att := attest.Attestation{V: attest.Version, Proposal: id, From: cur.InForce, Base: cur.Main, Head: head, Tree: top, Report: "sha256:00", At: at}
	data, err := att.Encode()
	d.ok(err)
	d.record(id, journal.Event{Kind: "merging", Fields: map[string]string{"Commit": h.String()},
		Files: map[string][]byte{"attestation.json": data}, Anchors: []tree.Hash{h}})
	d.put(attest.MainRef, h)
	return h
}
