package attacks_test

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // where a record stands
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/workspace/attest"
)

const evilID = "evil-abcd2345"

func (d *world) bytes(hash string) []byte {
	d.Helper()
	out, err := hex.DecodeString(hash)
	d.ok(err)
	return out
}

// sound asks git to check an object that it does not store.
func (d *world) sound(kind, data string) (string, error) {
	cmd := exec.Command("git", "-C", d.dir, "hash-object", "-t", kind, "--stdin")
	cmd.Env, cmd.Stdin = os.Environ(), strings.NewReader(data)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// commitOn returns a commit of an unchanged tree upon another commit.
func (d *world) commitOn(parent tree.Hash, top string) tree.Hash {
	d.Helper()
	h, err := tree.ParseHash(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor M <m@example.org> %d +0000\ncommitter M <m@example.org> %[3]d +0000\n\nMore\n", top, parent, d.tick().Unix())))
	d.ok(err)
	return h
}

// event returns a commit of an event, as an attacker who can write refs makes it.
func (d *world) event(top, kind string, number int, text string, before ...string) string {
	d.Helper()
	links := ""
	for _, b := range before {
		links += "parent " + b + "\n"
	}
	return d.object("commit", fmt.Appendf(nil, "tree %s\n%sauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\n%s: x\n\n%s\n\nAssent-Journal: 1\nAssent-Sequence: %d\nAssent-Event: %[3]s\nAssent-At: 2026-01-01T00:00:00Z\nAssent-By: M\n",
		top, links, kind, text, number))
}

// rawRef writes content into a ref that git would refuse.
func (d *world) rawRef(dir, ref, holds string) {
	d.Helper()
	file := filepath.Join(dir, filepath.FromSlash(ref))
	d.ok(os.MkdirAll(filepath.Dir(file), 0o755))
	d.ok(os.WriteFile(file, []byte(holds+"\n"), 0o644))
}

// An unreadable journal damages only itself, and is not read beyond the limits.
func TestAttackJournals(t *testing.T) {
	empty := func(d *world) string { return d.object("tree", nil) }
	for what, a := range map[string]struct {
		head func(d *world) string
		why  string
	}{
		"a name of nothing": {func(*world) string { return strings.Repeat("12", 20) }, "not found"},
		"a blob":            {func(d *world) string { return d.object("blob", []byte("x")) }, "is a blob"},
		"a tree":            {empty, "is a tree"},
		"a parent that is no commit": {func(d *world) string {
			return d.event(empty(d), "opened", 2, "", d.object("blob", []byte("x")))
		}, "is a blob"},
		"a mode with a zero in front": {func(d *world) string {
			return d.event(d.object("tree", append([]byte("0100644 a\x00"), d.bytes(d.object("blob", nil))...)), "opened", 1, "")
		}, "0100644"},
		"a giant file": {func(d *world) string {
			return d.event(d.tree([]raw{{"100644", "pull.json", d.object("blob", make([]byte, 80<<20))}}), "opened", 1, "")
		}, "are read"},
		"a tree of many files": {func(d *world) string { return d.event(d.vast(12), "opened", 1, "") }, tree.ErrTooLarge.Error()},
		"many giant texts": {func(d *world) string {
			before := []string{d.event(empty(d), "opened", 1, strings.Repeat("x", 1<<20-1000))}
			for n := range 66 {
				before = []string{d.event(empty(d), "talk", n+2, strings.Repeat("x", 1<<20-1000), before...)}
			}
			return before[0]
		}, "more than"},
	} {
		attack(t, what, func(d *world) {
			other := d.proposed("kublai", skill("clove-hitch"))
			d.rawRef(filepath.Join(d.dir, ".git"), local.PullPrefix+evilID, a.head(d))
			d.reopen()
			_, err := d.Forge.Get(d.Context(), evilID)
			var damaged *forge.Damaged
			switch {
			case !errors.As(err, &damaged) || damaged.ID != evilID:
				d.succeeds("it is not named: %v", err)
				return
			case !strings.Contains(err.Error(), a.why):
				d.succeeds("it was read: %v", err)
				return
			}
			d.approved(other.ID, "ada", "bob")
			if out := d.merge(other.ID); !out.Merged {
				d.succeeds("another one cannot be merged: %s", out.Refused)
			}
			d.begin()
		})
	}
	attack(t, "a hundred heads", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		top, blob := empty(d), d.object("blob", []byte("x"))
		n := 0
		for _, kind := range []string{"opened", "merging", "merged", "closed", "review", "Opened", ""} {
			for _, number := range []int{1, 2, 0, -1, 1 << 40} {
				for _, before := range [][]string{nil, {blob}, {top}} {
					n++
					d.rawRef(filepath.Join(d.dir, ".git"), fmt.Sprintf("%sevil-abcd2%03d", local.PullPrefix, n), d.event(top, kind, number, "", before...))
				}
			}
		}
		if n < 100 {
			d.Fatalf("only %d variants", n)
		}
		d.reopen()
		all, err := d.Forge.List(d.Context(), forge.Filter{})
		if len(all) != 1 || all[0].ID != p.ID || err == nil {
			d.succeeds("%d are listed: %v", len(all), err)
		}
	})
}

// A line of folded journals affects only the journals that it alone holds.
func TestAttackLines(t *testing.T) {
	fold := func(d *world, top string) {
		d.put(local.ClosedPrefix+"2026", d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\nauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\nFold\n\nAssent-Fold: 1\n", top))))
		d.reopen()
	}
	readable := func(d *world, p forge.Pull) {
		if _, err := d.Forge.Get(d.Context(), p.ID); err != nil {
			d.succeeds("an open proposal cannot be read: %v", err)
		}
	}
	attack(t, "a line that cannot be read", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		fold(d, d.object("tree", append([]byte("0100644 a\x00"), d.bytes(d.object("blob", nil))...)))
		readable(d, p)
	})
	attack(t, "a record that is none", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		sum := sha1.Sum([]byte(p.ID)) //nolint:gosec // see the import
		at := hex.EncodeToString(sum[:2])
		fold(d, d.grafted("", []string{at[:1], at[1:2], at[2:3], p.ID}, "100644", d.object("blob", []byte("x\n"))))
		readable(d, p)
	})
	attack(t, "a line of many files", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		fold(d, d.vast(10))
		readable(d, p)
		_, err := d.Forge.List(d.Context(), forge.Filter{})
		if err == nil || len(err.Error()) > 100_000 {
			d.succeeds("all of it is told: %d bytes", len(fmt.Sprint(err)))
		}
	})
}

// A line on a hub moves the local one only if it can be read.
func TestAttackLineOfHub(t *testing.T) {
	attack(t, "goes on with nothing that can be read", func(d *world) {
		hub := filepath.Join(t.TempDir(), "hub.git")
		d.git("init", "--quiet", "--bare", hub)
		d.git("remote", "add", "origin", hub)
		d.git("push", "--quiet", "origin", attest.MainRef)
		commit := func(top, before string) string {
			return d.object("commit", fmt.Appendf(nil, "tree %s\n%sauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\nFold\n\nAssent-Fold: 1\n", top, before))
		}
		ours := commit(d.object("tree", nil), "")
		evil := commit(d.object("tree", append([]byte("0100644 a\x00"), d.bytes(d.object("blob", nil))...)), "parent "+ours+"\n")
		d.git("push", "--quiet", "origin", evil+":"+local.ClosedPrefix+"2026")
		d.put(local.ClosedPrefix+"2026", d.parsed(ours))
		d.reopen()
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		now, err := d.Repo.Ref(local.ClosedPrefix + "2026")
		d.ok(err)
		if now.String() != ours || len(out.Problems) != 1 {
			d.succeeds("our line is at %s, and of problems is told %v", now, out.Problems)
		}
	})
}

func (d *world) parsed(hash string) tree.Hash {
	d.Helper()
	h, err := tree.ParseHash(hash)
	d.ok(err)
	return h
}

// An unreadable commit on main is blocked and hides nothing else.
func TestAttackMain(t *testing.T) {
	const who = "M <m@example.org> 5 +0000"
	for what, head := range map[string]func(d *world) tree.Hash{
		"a mode with a zero in front": func(d *world) tree.Hash {
			var b bytes.Buffer
			for _, e := range d.entries(d.treeOf(d.main()).String()) {
				if e.mode == "40000" {
					e.mode = "040000"
				}
				fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.name, d.bytes(e.hash))
			}
			return d.commitRaw(d.object("tree", b.Bytes()))
		},
		"entries in disorder": func(d *world) tree.Hash {
			x := d.bytes(d.object("blob", nil))
			evil := d.object("tree", fmt.Appendf(nil, "100644 b\x00%s100644 a\x00%s", x, x))
			return d.commitRaw(d.grafted(d.treeOf(d.main()).String(), []string{"skills", "evil"}, "40000", evil))
		},
		"a second committer": func(d *world) tree.Hash {
			return d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %[3]s\ncommitter %[3]s\n\nm\n", d.treeOf(d.main()), d.main(), who)))
		},
		"a message with a NUL": func(d *world) tree.Hash {
			return d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %[3]s\n\nm\x00\n", d.treeOf(d.main()), d.main(), who)))
		},
		"a giant message": func(d *world) tree.Hash {
			return d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %[3]s\n\n%s\n", d.treeOf(d.main()), d.main(), who, strings.Repeat("m", 1<<20))))
		},
	} {
		attack(t, what, func(d *world) {
			p := d.proposed("kublai", skill("clove-hitch"))
			d.put(attest.MainRef, head(d))
			if why := d.blocked(); !strings.Contains(why, "cannot be read") {
				d.succeeds("it is not blocked, or not named: %s", why)
				return
			}
			cur := d.unchanged()
			if _, err := cur.Examine(d.Context(), p.ID); err != nil {
				d.succeeds("a proposal cannot be read: %v", err)
			}
		})
	}
}

// Where the commit in force was seen, it stays known even if main cannot be followed to it.
func TestAttackUnreadableMain(t *testing.T) {
	attack(t, "a second tree first", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		top, was := d.treeOf(d.main()), d.main()
		d.put(attest.MainRef, d.parsed(d.object("commit", fmt.Appendf(nil, "tree %s\ntree %[1]s\nparent %s\nauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\nm\n", top, was))))
		d.reopen()
		cur, err := d.Session(d.Context())
		if err != nil || cur.InForce != d.before || len(cur.Blocked) != 1 {
			d.succeeds("what was in force is hidden: %v", err)
			return
		}
		if _, err := cur.Examine(d.Context(), p.ID); err != nil {
			d.Errorf("a proposal cannot be read: %v", err)
		}
		d.put(attest.MainRef, was)
	})
}

// A hub with a ref that names nothing still delivers all other refs.
func TestAttackHub(t *testing.T) {
	attack(t, "a journal that names nothing", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		hub := filepath.Join(t.TempDir(), "hub.git")
		d.git("init", "--quiet", "--bare", hub)
		d.git("remote", "add", "origin", hub)
		d.git("push", "--quiet", "origin", attest.MainRef, "refs/heads/"+p.Branch, local.PullPrefix+p.ID)
		for i := range 3 {
			d.rawRef(hub, fmt.Sprintf("%sevil-abcd234%d", local.PullPrefix, 5+i), strings.Repeat(fmt.Sprint(i+1), 40))
		}
		d.git("update-ref", "-d", local.PullPrefix+p.ID)
		d.reopen()
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		if err != nil {
			d.succeeds("nothing is fetched: %v", err)
			return
		}
		if len(out.Problems) == 0 || !strings.Contains(out.Problems[0].Error(), "evil-abcd2345") {
			d.Errorf("it is not named: %v", out.Problems)
		}
		if _, err := d.Forge.Get(d.Context(), p.ID); err != nil {
			d.succeeds("the others stay behind: %v", err)
		}
	})
}
