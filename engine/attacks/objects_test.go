package attacks_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
)

func objectDefences() map[string]defence {
	const commits, trees, journals, lines, main = "TestAttackCommits/", "TestAttackTrees/", "TestAttackJournals/", "TestAttackLines/", "TestAttackMain/"
	return map[string]defence{
		"headers-come-once": {
			attack:  commits + "read in two ways",
			instead: `if key == "tree" { p.commit.Tree, _ = objectName(kindCommit, key, value); return key, value, nil }`,
		},
		"committers-are-complete":            {attack: commits + "read in two ways"},
		"tree-names-are-safe":                {attack: trees + "that git refuses"},
		"objects-are-bounded":                {attack: journals + "a giant file"},
		"walking-is-bounded":                 {attack: journals + "a tree of many files"},
		"journals-are-bounded":               {attack: journals + "many giant texts"},
		"records-stand-alone":                {attack: lines + "a record that is none"},
		"lines-are-read-before-they-move":    {attack: "TestAttackLineOfHub/goes on with nothing that can be read"},
		"lines-are-bounded":                  {attack: lines + "a line of many files"},
		"broken-refs-stay-behind":            {attack: "TestAttackHub/a journal that names nothing"},
		"memory-outlives-an-unreadable-main": {attack: "TestAttackUnreadableMain/a second tree first"},
		"an-unreadable-tree-is-blocked":      {attack: main + "a mode with a zero in front"},
		"a-malformed-main-hides-no-proposal": {attack: main + "a mode with a zero in front"},
		"journals-name-what-is-there":        {attack: "TestAttackForgedPushes/rewritten: the engine goes on from an entry twice in skills"},
	}
}

// hostileCommits are commits that two readers could parse differently: with another tree, parent,
// person or date.
func hostileCommits(top, evil, parent, other string) []string {
	const who = "M <m@example.org> 1100000000 +0000"
	first := []string{"tree " + top + "\n", "parent " + parent + "\n", "author " + who + "\n", "committer " + who + "\n"}
	var out []string
	for at := range len(first) + 1 {
		for _, more := range []string{
			"tree " + evil, "parent " + other, "parent " + other[:39], "author E <e@example.org> 5 +0000", "committer E <e@example.org> 5 +0000",
			" tree " + evil, "TREE " + evil, "tree  " + evil, "tree\t" + evil, "tree " + evil[:39], "tree " + strings.ToUpper(evil), "tree " + evil + "\r", "\x00tree " + evil,
			"encoding UTF-7", "encoding UTF-16LE", "encoding IBM037", "gpgsig x", "gpgsig x\ntree " + evil, "mergetag x\n tree " + evil, "x",
		} {
			for _, message := range []string{"\nm\n", "\nm\x00\n"} {
				out = append(out, strings.Join(first[:at], "")+more+"\n"+strings.Join(first[at:], "")+message)
			}
		}
	}
	for _, line := range []string{"M <m@example.org>", "M <m@example.org>> 5 +0000", "M <m@example.org> 5", "M <m@example.org> -5 +0000", "M 5 +0000", "M <m> <n> 5 +0000", "M <m@example.org> 99999999999999 +0000"} {
		out = append(out, first[0]+first[1]+first[2]+"committer "+line+"\n\n1234567890\n")
	}
	return out
}

// A commit is read as git reads it, or refused.
func TestAttackCommits(t *testing.T) {
	attack(t, "read in two ways", func(d *world) {
		p := d.proposed("kublai", skill("clove-hitch"))
		evil := d.grafted(d.treeOf(p.Head).String(), []string{"skills", "evil", "SKILL.md"}, "100644", d.object("blob", []byte("evil\n")))
		variants := hostileCommits(d.treeOf(p.Head).String(), evil, p.Head.String(), d.main().String())
		if len(variants) < 100 {
			d.Fatalf("only %d variants", len(variants))
		}
		read := 0
		for _, v := range variants {
			h, err := tree.ParseHash(d.object("commit", []byte(v)))
			d.ok(err)
			c, err := d.Repo.Commit(h)
			if err != nil {
				continue
			}
			read++
			want := fmt.Sprint(c.Tree, " ", c.Committer.When.Unix())
			for _, parent := range c.Parents {
				want += " " + parent.String()
			}
			if got := d.gitReads(h); got != want {
				d.succeeds("%q: git reads %s, assent %s", v, got, want)
				return
			}
		}
		if read == 0 || read == len(variants) {
			d.Errorf("%d of %d are read", read, len(variants))
		}
	})
	attack(t, "on the branch of a proposal", func(d *world) {
		p, other := d.proposed("kublai", skill("clove-hitch")), d.proposed("mongke", skill("sheet-bend"))
		top := d.treeOf(p.Head).String()
		h, err := tree.ParseHash(d.object("commit", fmt.Appendf(nil, "tree %s\ntree %s\nparent %s\nauthor M <m@x> 5 +0000\ncommitter M <m@x> 5 +0000\n\nm\n", top, top, p.Head)))
		d.ok(err)
		d.pushed(p, h)
		d.damagedAlone(p, other)
	})
}

// gitReads returns the tree, the date and the parents of a commit as git reads them.
func (d *world) gitReads(h tree.Hash) string {
	d.Helper()
	fields := strings.Fields(d.git("rev-list", "--no-walk", "--timestamp", "--parents", h.String()))
	out := d.git("rev-parse", h.String()+"^{tree}") + " " + fields[0]
	for _, parent := range fields[2:] {
		out += " " + parent
	}
	return out
}

// damagedAlone checks that one proposal cannot be read and is named, and that another one can be
// merged.
func (d *world) damagedAlone(p, other forge.Pull) {
	d.Helper()
	d.reopen()
	cur, err := d.Session(d.Context())
	d.ok(err)
	var damaged *forge.Damaged
	if _, err := cur.Examine(d.Context(), p.ID); !errors.As(err, &damaged) || damaged.ID != p.ID {
		d.succeeds("it is not named: %v", err)
		return
	}
	if all, err := d.Forge.List(d.Context(), forge.Filter{}); len(all) == 0 {
		d.succeeds("nothing else is listed: %v", err)
		return
	}
	d.approved(other.ID, "ada", "bob")
	if out := d.merge(other.ID); !out.Merged {
		d.succeeds("another one cannot be merged: %s", out.Refused)
	}
	d.begin()
}

// hostileTrees are trees of one or two entries.
func (d *world) hostileTrees() []string {
	blob := d.object("blob", []byte("x\n"))
	h := string(d.bytes(blob))
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + h }
	var out []string
	for _, mode := range []string{"100644", "100755", "120000", "0100644", "00100644", "100664", "100600", "644", "0", "", "+100644", "100648"} {
		for _, name := range []string{"a", "", ".", "..", ".git", ".GIT", "a/b", "/a"} {
			out = append(out, entry(mode, name))
		}
	}
	for _, pair := range [][2]string{{"a", "a"}, {"b", "a"}, {"a", "b"}, {"a.b", "a"}, {"B", "A"}} {
		out = append(out, entry("100644", pair[0])+entry("100644", pair[1]), entry("100644", pair[0])+entry("100755", pair[1]))
	}
	return append(out, "100644 a\x00"+strings.Repeat("\x00", 20), entry("100644", "a")+"1", entry("100644", "a")[:20], "\x00")
}

// A tree that git's own check refuses is refused.
func TestAttackTrees(t *testing.T) {
	attack(t, "that git refuses", func(d *world) {
		variants := d.hostileTrees()
		if len(variants) < 100 {
			d.Fatalf("only %d variants", len(variants))
		}
		read := 0
		for _, v := range variants {
			h, err := tree.ParseHash(d.object("tree", []byte(v)))
			d.ok(err)
			view, err := d.Repo.Snapshot(h)
			if err == nil {
				_, err = view.List("")
			}
			if err != nil {
				continue
			}
			read++
			if _, err := d.sound("tree", v); err != nil {
				d.succeeds("%q is read, of which git says: %v", v, err)
				return
			}
		}
		if read == 0 || read == len(variants) {
			d.Errorf("%d of %d are read", read, len(variants))
		}
	})
	for what, entry := range map[string]string{"a mode with a zero in front": "0100644 a\x00", "a name with a slash": "100644 a/b\x00", "Git's folder": "100644 .git\x00"} {
		attack(t, what+", on the branch of a proposal", func(d *world) {
			p, other := d.proposed("kublai", skill("clove-hitch")), d.proposed("mongke", skill("sheet-bend"))
			evil := d.object("tree", append([]byte(entry), d.bytes(d.object("blob", []byte("x\n")))...))
			d.pushed(p, d.commitOn(p.Head, d.grafted(d.treeOf(p.Head).String(), []string{"skills", "clove-hitch", "references"}, "40000", evil)))
			d.damagedAlone(p, other)
		})
	}
}
