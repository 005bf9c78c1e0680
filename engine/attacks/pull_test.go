package attacks_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

// copied returns a copy of the world, from which this clone pulls.
func (d *world) copied() *world {
	d.Helper()
	at := filepath.Join(d.TempDir(), "hub")
	d.ok(os.CopyFS(at, os.DirFS(d.dir)))
	d.git("remote", "add", "origin", at)
	h := *d
	h.dir = at
	h.reopen()
	return &h
}

// badTree writes a tree that git stores and readers must refuse.
func (d *world) badTree(entries ...string) string {
	d.Helper()
	blob, err := hex.DecodeString(d.gitIn("x\n", "hash-object", "-w", "--stdin"))
	d.ok(err)
	text := ""
	for _, e := range entries {
		text += e + "\x00" + string(blob)
	}
	return d.gitIn(text, "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

// An unreadable main stays on the hub, and everything else is pulled.
func TestAttackPull(t *testing.T) {
	for name, entries := range map[string][]string{
		"an entry twice":     {"100644 a", "100644 a"},
		"entries unsorted":   {"100644 b", "100644 a"},
		"a name with a path": {"100644 a/b"},
	} {
		attack(t, name, func(d *world) {
			hub := d.copied()
			p := hub.proposed("kublai", skill("clove-hitch"))
			hub.git("update-ref", "refs/heads/main", hub.git("commit-tree", hub.badTree(entries...), "-p", "refs/heads/main", "-m", "x"))
			at := d.main()
			out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			if d.main() != at {
				d.succeeds("main moved to what nobody can read: %v", err)
				d.FailNow()
			}
			if err == nil && out.Held == nil {
				d.Error("nothing says why main stays")
			}
			if _, err := d.Record.Get(d.Context(), p.ID); err != nil {
				d.Errorf("the proposal did not come: %v", err)
			}
		})
	}
}

// Content outside the governed folders decides nothing, so no reader walks it. Main moves and
// proposals merge. Only the checkout stays until a commit removes the folder.
func TestAttackBesideGoverned(t *testing.T) {
	for what, put := range map[string]func(hub *world) raw{
		"a tree of billions":    func(hub *world) raw { return raw{"40000", "beside", hub.vast(30)} },
		"a tree that is broken": func(hub *world) raw { return raw{"40000", "beside", hub.badTree("100644 a", "100644 a")} },
		"a file that is none":   func(hub *world) raw { return raw{"100644", "beside", hub.object("tree", nil)} },
	} {
		attack(t, what, func(d *world) {
			d.git("reset", "--hard", "--quiet")
			p := d.proposed("kublai", skill("clove-hitch"))
			hub, was := d.copied(), d.main()
			at := put(hub)
			hub.put("refs/heads/main", hub.commitRaw(hub.grafted(hub.treeOf(was).String(), []string{at.name}, at.mode, at.hash)))
			out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
			if err != nil || out.Held != nil || d.main() != hub.main() {
				d.succeeds("main stays at %s: %v, %v", d.main().Short(), err, out.Held)
				return
			}
			if out.WorktreeErr == nil {
				d.Error("nothing says why the checkout stays")
			}
			d.unchanged()
			d.approved(p.ID, "ada", "bob")
			if out := d.merge(p.ID); !out.Merged {
				d.succeeds("nothing merges any more: %s", out.Refused)
				return
			}
			d.begin()
			d.put("refs/heads/main", d.commitRaw(d.without(d.treeOf(d.main()).String(), at.name)))
			_, err = d.Repo.RefreshWorktree(was, d.main())
			d.ok(err)
			if _, err := os.Stat(filepath.Join(d.dir, "skills", "clove-hitch", "SKILL.md")); err != nil {
				d.Errorf("the checkout does not follow: %v", err)
			}
		})
	}
}

// without returns a tree without one of its entries.
func (d *world) without(top, name string) string {
	d.Helper()
	kept := ""
	for line := range strings.Lines(d.git("ls-tree", top)) {
		if !strings.HasSuffix(strings.TrimSpace(line), "\t"+name) {
			kept += strings.TrimSpace(line) + "\n"
		}
	}
	return d.gitIn(kept, "mktree", "--missing")
}

// A main that cannot be judged here is not published, and everything else is.
func TestAttackUnjudged(t *testing.T) {
	for name, unjudged := range map[string]func(d *world, old tree.Hash){
		"behind what was seen": func(d *world, old tree.Hash) {
			d.put(attest.MainRef, d.commit("Sneak in", []tree.Hash{old}, skill("granny-knot")))
		},
		"of another genesis": func(d *world, old tree.Hash) {
			root := d.commit("Begin\n\n"+attest.GenesisTrailer+": 1", nil, skill("granny-knot"))
			d.put(attest.MainRef, d.commit("Sneak in", []tree.Hash{root, old}, skill("granny-knot")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newWorld(t)
			hub, old := d.hub(), d.main()
			d.merged(d.altered("policies/limits.yaml", "expiry: 7d", "expiry: 6d"))
			p := d.proposed("kublai", skill("clove-hitch"))
			unjudged(d, old)
			d.reopen()
			out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
			if got := d.git("-C", hub, "rev-parse", "main"); got != old.String() {
				d.succeeds("main is published: %v", err)
				return
			}
			d.ok(err)
			if !slices.ContainsFunc(out.Held, func(h exchange.Held) bool { return h.What == "main" }) {
				d.Errorf("nothing says why main stays: %+v", out.Held)
			}
			d.git("-C", hub, "rev-parse", local.PullPrefix+p.ID)
		})
	}
}

// A ref that git cannot keep beside a journal holds up only that journal.
func TestAttackObstacles(t *testing.T) {
	attack(t, "a ref below a journal", func(d *world) {
		hub := d.hub()
		stuck, other := d.proposed("kublai", skill("clove-hitch")), d.proposed("mongke", skill("sheet-bend"))
		d.git("-C", hub, "update-ref", local.PullPrefix+stuck.ID+"/x", "refs/heads/main")
		out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
		if err != nil || d.git("-C", hub, "for-each-ref", local.PullPrefix+other.ID) == "" {
			d.succeeds("the other proposal is not published: %v", err)
			return
		}
		if len(out.Held) != 1 || out.Held[0].What != stuck.ID || !strings.Contains(out.Held[0].Why, stuck.ID+"/x") {
			d.Errorf("held: %+v", out.Held)
		}
	})
}

// A main on the hub that cannot be read stops no push of anything else.
func TestAttackMainOfPush(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub, main := d.copied(), d.main().String()
	top := d.treeOf(d.main()).String()
	mains := map[string]string{"a vast message": d.rawCommit(top, main, strings.Repeat("x", 2<<20))}
	for i, data := range hostileCommits(top, top, main, main) {
		mains[fmt.Sprint("malformed ", i)] = data
	}
	for what, data := range mains {
		t.Run(what, func(t *testing.T) {
			w, ref, head := d.clone(t), local.PullPrefix+p.ID, hub.object("commit", []byte(data))
			hub.put(ref, w.ref(ref))
			hub.rawRef(filepath.Join(hub.dir, ".git"), attest.MainRef, head)
			w.ok(w.Record.Comment(w.Context(), p.ID, forge.Comment{By: forge.Actor{Name: "mongke"}, Body: what, At: w.tick()}))
			out, err := exchange.Push(w.Context(), w.Workspace, exchange.Options{Remote: "origin"})
			if err != nil && strings.Contains(err.Error(), "upload-pack: not our ref") {
				return // the hub's git serves nothing beside such a main: docs/rough-edges.md
			}
			if err != nil || hub.ref(ref) != w.ref(ref) {
				w.succeeds("nothing is published: %v", err)
				return
			}
			if _, err := w.Repo.Commit(w.parsed(head)); err != nil && !slices.ContainsFunc(out.Held, func(h exchange.Held) bool { return h.What == "main" }) {
				w.Errorf("nothing says why main stays: %+v", out.Held)
			}
		})
	}
}

// rawCommit returns the bytes of a commit.
func (d *world) rawCommit(top, parent, message string) string {
	const who = " M <m@example.org> 1100000000 +0000\n"
	return "tree " + top + "\nparent " + parent + "\nauthor" + who + "committer" + who + "\n" + message + "\n"
}

// What a push tells people to type deletes a ref of any name, and runs nothing that the name holds.
func TestAttackPrintedRefs(t *testing.T) {
	for what, name := range map[string]string{
		"a substitution": "$(touch${IFS}PWNED)", "backquotes": "`touch${IFS}PWNED`", "a second command": "x;touch${IFS}PWNED", "a pipe": "x|touch${IFS}PWNED",
		"another in the background": "x&touch${IFS}PWNED", "a quotation mark": "x'$(touch${IFS}PWNED)'", "a file": "x>PWNED",
	} {
		attack(t, what, func(d *world) {
			hub := d.hub()
			stuck := d.proposed("kublai", skill("clove-hitch"))
			ref := local.PullPrefix + stuck.ID + "/" + name
			d.git("-C", hub, "update-ref", ref, "refs/heads/main")
			out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
			d.ok(err)
			if len(out.Held) != 1 {
				d.Fatalf("held: %+v", out.Held)
			}
			_, line, _ := strings.Cut(out.Held[0].Why, "delete it: ")
			sh := exec.Command("sh", "-c", line)
			sh.Dir = d.dir
			said, err := sh.CombinedOutput()
			if _, is := os.Stat(filepath.Join(d.dir, "PWNED")); is == nil {
				d.succeeds("the printed command runs a program: %s", line)
				return
			}
			if err != nil || d.git("-C", hub, "for-each-ref", local.PullPrefix+stuck.ID) != "" {
				d.Errorf("%s: %v, %s", line, err, said)
			}
		})
	}
}

// A journal that was replaced on the hub is restored from a clone that has it.
func TestHubJournalIsRepaired(t *testing.T) {
	for name, damage := range map[string]func(h *world, ref string){
		"garbage on top":         func(h *world, ref string) { h.put(ref, h.commit("x", []tree.Hash{h.ref(ref)})) },
		"another commit":         func(h *world, ref string) { h.put(ref, h.main()) },
		"a tree that is missing": func(h *world, ref string) { h.put(ref, h.hollow(h.ref(ref))) },
		"names nothing": func(h *world, ref string) {
			h.ok(os.WriteFile(filepath.Join(h.dir, ".git", ref), []byte(strings.Repeat("12345678", 5)+"\n"), 0o600))
		},
	} {
		attack(t, name, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			hub := d.copied()
			ref := local.PullPrefix + p.ID
			want := d.ref(ref)
			damage(hub, ref)
			found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) != 1 || !found[0].Restorable || found[0].OnThisSide {
				d.Fatalf("found %+v", found)
			}
			_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
			d.ok(err)
			if got := hub.ref(ref); got != want || d.ref(ref) != want {
				d.succeeds("the journal on the hub is at %s, want %s", got.Short(), want.Short())
			}
		})
	}
}

// hollow returns a commit upon another one, whose tree does not exist.
func (d *world) hollow(upon tree.Hash) tree.Hash {
	d.Helper()
	return d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\nx\n", strings.Repeat("1", 40), upon)))
}

// brokenEvents are events upon another one that git fetches and no reader accepts.
func (d *world) brokenEvents() []func(upon string) string {
	var out []func(string) string
	for _, t := range d.hostileTrees() {
		top := d.object("tree", []byte(t))
		if exec.Command("git", "-C", d.dir, "ls-tree", top).Run() == nil {
			out = append(out, func(upon string) string { return d.event(top, "commented", 2, "", upon) })
		}
	}
	empty := d.object("tree", nil)
	for _, kind := range []string{"opened", "pushed", "report", "review", "commented", "merging", "merged", "closed", "reopened", "x"} {
		for _, number := range []int{1, 2, 7} {
			out = append(out, func(upon string) string { return d.event(empty, kind, number, "", upon) })
		}
	}
	return out
}

// Journals on the hub with unfetchable or unreadable events on top hold up only themselves.
func TestAttackUntaken(t *testing.T) {
	attack(t, "a tree that is missing", func(d *world) {
		stuck := d.proposed("kublai", skill("clove-hitch"))
		hub := d.copied()
		ref := local.PullPrefix + stuck.ID
		hub.put(ref, hub.hollow(hub.ref(ref)))
		other := d.proposed("mongke", skill("sheet-bend"))
		d.ok(d.Record.Comment(d.Context(), stuck.ID, forge.Comment{By: forge.Actor{Name: "mongke"}, Body: "why?", At: d.tick()}))
		out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
		if _, there := hub.Repo.Ref(local.PullPrefix + other.ID); err != nil || there != nil {
			d.succeeds("the other proposal is not published: %v", err)
			return
		}
		if len(out.Held) != 1 || out.Held[0].What != stuck.ID || len(out.Pulled) > 1 {
			d.Errorf("held: %+v, after %d pulls", out.Held, len(out.Pulled))
		}
	})
	attack(t, "a hundred broken events", func(d *world) {
		head := d.main()
		var ids []string
		for n := range d.brokenEvents() {
			id := fmt.Sprintf("stuck-abcd2%03d", 200+n)
			d.put("refs/heads/"+propose.BranchOf(id), head)
			_, err := d.Record.Open(d.Context(), forge.Opening{
				ID: id, Title: "a hitch", Branch: propose.BranchOf(id), Base: forge.Main, Head: head, Author: forge.Actor{Name: "kublai"}, At: d.tick(),
			})
			d.ok(err)
			ids = append(ids, id)
		}
		hub := d.copied()
		events := hub.brokenEvents()
		for n, id := range ids {
			ref := local.PullPrefix + id
			hub.put(ref, d.parsed(events[n](hub.ref(ref).String())))
			d.ok(d.Record.Comment(d.Context(), id, forge.Comment{By: forge.Actor{Name: "kublai"}, Body: "soon", At: d.tick()}))
		}
		other := d.proposed("mongke", skill("sheet-bend"))
		out, err := exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
		if _, there := hub.Repo.Ref(local.PullPrefix + other.ID); err != nil || there != nil {
			d.succeeds("the other proposal is not published: %v", err)
			return
		}
		held := map[string]bool{}
		for _, h := range out.Held {
			held[h.What] = true
		}
		if len(ids) < 100 || len(held) != len(ids) || held[other.ID] || len(out.Pulled) > 1 {
			d.Errorf("%d of %d held after %d pulls", len(held), len(ids), len(out.Pulled))
		}
		if err := exchange.SyncOf(d.Workspace, "origin")(d.Context(), ids[0]); err == nil || !strings.Contains(err.Error(), ids[0]) {
			d.Errorf("a merge of what is held up is refused with %v", err)
		}
	})
}

// A journal that was removed from the hub or set back, after main there had its merge, is reported
// as missing and restored.
func TestHubJournalIsMissed(t *testing.T) {
	for name, c := range map[string]struct {
		folded bool
		lose   func(h *world, ref string)
	}{
		"removed":         {lose: func(h *world, ref string) { h.git("update-ref", "-d", ref) }},
		"set back":        {lose: func(h *world, ref string) { h.git("update-ref", ref, ref+"~4") }},
		"removed, folded": {true, func(h *world, _ string) { h.git("update-ref", "-d", "refs/assent/closed/2026") }},
	} {
		attack(t, name, func(d *world) {
			p := d.merged(skill("clove-hitch"))
			ref := local.PullPrefix + p.ID
			if c.folded {
				d.folded()
			}
			hub := d.copied()
			found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) > 0 {
				d.Fatalf("found before the loss: %+v", found)
			}
			c.lose(hub, ref)
			found, err = exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) != 1 || found[0].ID != p.ID || !found[0].Silent || !found[0].Restorable {
				d.succeeds("nobody misses it: %+v", found)
				return
			}
			if c.folded {
				_, err = exchange.Push(d.Context(), d.Workspace, exchange.Options{Remote: "origin"})
			} else {
				_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
			}
			d.ok(err)
			if found, err = exchange.Damages(d.Context(), d.Workspace, "origin"); err != nil || len(found) > 0 {
				d.succeeds("it is still missing: %+v, %v", found, err)
			}
		})
	}
}

// If no clone has a whole copy of a journal, it is set back to its readable part, unless a merge
// rests on it.
func TestAttackLostJournal(t *testing.T) {
	for name, c := range map[string]struct {
		merged bool
		put    func(h *world, ref string)
	}{
		"a blob":                         {put: func(h *world, ref string) { h.git("update-ref", ref, h.object("blob", []byte("x\n"))) }},
		"garbage on top":                 {put: func(h *world, ref string) { h.put(ref, h.commit("x", []tree.Hash{h.ref(ref)})) }},
		"garbage on top, of what merged": {true, func(h *world, ref string) { h.put(ref, h.commit("x", []tree.Hash{h.ref(ref)})) }},
	} {
		attack(t, name, func(d *world) {
			var p forge.Pull
			if c.merged {
				p = d.merged(skill("clove-hitch"))
			} else {
				p = d.proposed("kublai", skill("clove-hitch"))
			}
			ref := local.PullPrefix + p.ID
			whole := d.ref(ref)
			c.put(d, ref) // before it was published
			bad := d.ref(ref)
			hub := d.copied()
			found, err := exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) != 1 || found[0].Restorable {
				d.Fatalf("found %+v", found)
			}
			if c.merged {
				if found[0].Cut {
					d.succeeds("the journal of a merge is cut")
				}
				return
			}
			_, err = exchange.Restore(d.Context(), d.Workspace, "origin", found[0])
			d.ok(err)
			found, err = exchange.Damages(d.Context(), d.Workspace, "origin")
			d.ok(err)
			if len(found) > 0 {
				d.succeeds("it still cannot be read: %+v", found)
			}
			if name == "garbage on top" && (d.ref(ref) != whole || hub.ref(ref) != whole) {
				d.succeeds("what could be read is lost")
			}
			if kept := local.DamagedPrefix + p.ID + "/" + bad.Short(); d.ref(kept) != bad {
				d.succeeds("what was there is not kept")
			}
		})
	}
}

// Junk at the refs of folded journals, runs and stops is removed again.
func TestHubJunkIsReplaced(t *testing.T) {
	const line, run, held = "refs/assent/closed/2026", "refs/assent/runs/sheet-bend-00000000", workspace.StopPrefix + "zz"
	for name, junk := range map[string]func(h *world) string{
		"a commit": func(h *world) string { return h.main().String() },
		"a blob":   func(h *world) string { return h.object("blob", []byte("x\n")) },
	} {
		attack(t, name, func(d *world) {
			d.proposed("kublai", skill("clove-hitch"))
			hub := d.copied()
			for _, ref := range []string{line, run, held} {
				hub.git("update-ref", ref, junk(hub))
			}
			if name == "a blob" { // a clone that fetched it has it, too
				d.git("update-ref", held, junk(d))
			}
			if _, err := exchange.Damages(d.Context(), d.Workspace, "origin"); err != nil {
				d.Fatal(err)
			}
			found, err := exchange.FindJunk(d.Context(), d.Workspace, "origin", nil)
			d.ok(err)
			if len(found) != 3 || found[0].Ref != line || found[1].Ref != run || found[2].Ref != held {
				d.Fatalf("found %+v", found)
			}
			for _, j := range found {
				d.ok(exchange.Replace(d.Context(), d.Workspace, "origin", j))
				for where, w := range map[string]*world{"on the hub": hub, "here": d} {
					if _, err := w.Repo.Ref(j.Ref); !errors.Is(err, gitstore.ErrNoRef) {
						d.succeeds("%s stays %s: %v", j.Ref, where, err)
					}
				}
			}
		})
	}
}

func (d *world) ref(name string) tree.Hash {
	d.Helper()
	h, err := d.Repo.Ref(name)
	d.ok(err)
	return h
}

func pullDefences() map[string]defence {
	return map[string]defence{
		"mains-that-cannot-be-judged-stay-here":  {attack: "TestAttackUnjudged/behind what was seen"},
		"an-unreadable-main-stops-no-push":       {attack: "TestAttackMainOfPush/a vast message"},
		"pull-judges-before-main-moves":          {attack: "TestAttackPull/an entry twice"},
		"events-in-another-form-stay-out":        {attack: "TestAttackForeignEvent"},
		"steps-in-another-form-stay-out":         {attack: "TestAttackForeignSteps"},
		"journals-of-merges-are-not-cut":         {attack: "TestAttackLostJournal/garbage on top, of what merged"},
		"client-files-are-named":                 {attack: "TestAttackClientFiles/instructions"},
		"client-files-are-known-in-any-spelling": {attack: "TestAttackEveryClientFile/names"},
		"client-files-are-named-at-the-bound":    {attack: "TestAttackClientFiles/below many commits"},
		"printed-commands-quote-refs":            {attack: "TestAttackPrintedRefs/a substitution"},
		"tasks-hold-no-client-files":             {attack: "TestAttackClientFilesOfTask/on main"},
		"checkouts-hold-up-nothing":              {attack: "TestAttackBesideGoverned/a tree of billions", instead: "if p.out.WorktreeErr != nil { return p.out.WorktreeErr }"},
		"untaken-refs-hold-up-only-their-own":    {attack: "TestAttackUntaken/a hundred broken events"},
		"inbox-branches-stand-alone":             {attack: "TestAttackInboxBranch/that names nothing"},
		"foreign-refs-stay-on-the-hub":           {attack: "TestAttackForeignRefs/journals"},
		"junk-on-the-hub-holds-up-only-its-own":  {attack: "TestAttackJunkInPlace/a run that is a blob"},
		"junk-that-leads-to-records-stays":       {attack: "TestAttackRecordsBelowJunk/of folded journals"},
		"refs-in-the-way-hold-up-only-their-own": {
			attack:  "TestAttackObstacles/a ref below a journal",
			instead: "return moves",
		},
	}
}
