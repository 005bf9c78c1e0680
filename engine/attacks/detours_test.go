package attacks_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/local"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
)

func detourDefences() map[string]defence {
	return map[string]defence{
		"storage-changes-no-object": {attack: "TestAttackStorage/a message of 8 MB/main"},
		"detours-are-made-once":     {attack: "TestAttackStorage/a message of 8 MB/again"},
		"junk-is-passed-in-bounds":  {attack: "TestAttackVastJunk"},
		"damage-is-judged-once":     {attack: "TestAttackVastJunk"},
	}
}

// stored is an object of a repository.
type stored struct {
	kind byte
	data []byte
}

// stored returns the objects of a repository.
func (d *world) stored(dir string) map[tree.Hash]stored {
	d.Helper()
	out := map[tree.Hash]stored{}
	for line := range strings.Lines(d.git("-C", dir, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)")) {
		name, kind, _ := strings.Cut(strings.TrimSpace(line), " ")
		h, err := tree.ParseHash(name)
		d.ok(err)
		cmd := map[string]byte{"commit": storetest.KindCommit, "tree": storetest.KindTree, "blob": storetest.KindBlob}[kind]
		data, err := exec.Command("git", "-C", dir, "cat-file", kind, name).Output()
		d.ok(err)
		out[h] = stored{cmd, data}
	}
	return out
}

// storages are ways to store an object at the end of a detour. Each returns the base of a kind, with its
// size: zero for a kind that is stored as usual.
func storages() map[string]func(p *storetest.Pack, kind byte) (tree.Hash, int) {
	vast := func(size int) func(*storetest.Pack, byte) (tree.Hash, int) {
		return func(p *storetest.Pack, kind byte) (tree.Hash, int) {
			return p.Whole(kind, make([]byte, size)), size
		}
	}
	return map[string]func(p *storetest.Pack, kind byte) (tree.Hash, int){
		"a message of 8 MB": vast(8 << 20),
		"a message of 70 MB": func(p *storetest.Pack, kind byte) (tree.Hash, int) {
			if kind != storetest.KindCommit {
				return tree.Hash{}, 0 // commits are few: each costs a git that builds it
			}
			return vast(70<<20)(p, kind)
		},
		"a chain of 5000": func(p *storetest.Pack, kind byte) (tree.Hash, int) {
			if kind == storetest.KindBlob {
				return tree.Hash{}, 0 // the most numerous
			}
			h := p.Whole(kind, fmt.Appendf(nil, "%08d", 0))
			for n := range 5000 {
				h = p.Upon(h, 8, kind, fmt.Appendf(nil, "%08d", n+1))
			}
			return h, 8
		},
	}
}

// A hub stores honest objects in a hostile pusher's form: as small differences from vast objects, or at the
// end of long chains. New clones read them all the same, and make each detour once.
func TestAttackStorage(t *testing.T) {
	d := newWorld(t)
	d.proposed("kublai", skill("clove-hitch"))
	hub := d.hub()
	honest := d.stored(hub)
	for way, base := range storages() {
		t.Run(way, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "hub.git")
			d.ok(os.CopyFS(dir, os.DirFS(hub)))
			d.ok(os.RemoveAll(filepath.Join(dir, "objects")))
			d.ok(os.MkdirAll(filepath.Join(dir, "objects", "pack"), 0o755))
			var p storetest.Pack
			bases, sizes := map[byte]tree.Hash{}, map[byte]int{}
			for kind := byte(storetest.KindCommit); kind <= storetest.KindBlob; kind++ {
				bases[kind], sizes[kind] = base(&p, kind)
			}
			for _, o := range honest {
				if sizes[o.kind] == 0 {
					p.Whole(o.kind, o.data)
					continue
				}
				p.Upon(bases[o.kind], sizes[o.kind], o.kind, o.data)
			}
			p.Into(t, dir)
			w := *d
			w.T = t
			t.Run("main", func(t *testing.T) {
				w.T = t
				t.Setenv("ASSENT_HOME", t.TempDir())
				fresh, err := workspace.Open(dir, workspace.Surroundings{Now: d.tick})
				d.ok(err)
				if cur, err := fresh.Session(t.Context()); err != nil || cur.InForce != d.before {
					w.succeeds("a new clone has %s in force: %v", cur.InForce.Short(), err)
				}
			})
			for h, o := range honest {
				t.Run(h.String(), func(t *testing.T) {
					w.T = t
					if err := w.reads(dir, h, o.kind); err != nil {
						w.succeeds("it is not read: %v", err)
					}
				})
			}
			t.Run("again", func(t *testing.T) {
				w.T = t
				for h, o := range honest {
					if err := w.reads(dir, h, o.kind); err != nil {
						t.Fatal(err)
					}
				}
				t.Setenv("PATH", "") // without git, only what is stored by itself can be read
				for h, o := range honest {
					if err := w.reads(dir, h, o.kind); err != nil {
						w.succeeds("the detour to %s is made again: %v", h.Short(), err)
						return
					}
				}
			})
		})
	}
}

// reads reads one object, as a new process does.
func (d *world) reads(dir string, h tree.Hash, kind byte) error {
	r, err := gitstore.Open(dir)
	d.ok(err)
	switch kind {
	case storetest.KindCommit:
		_, err = r.Commit(h)
	case storetest.KindTree:
		_, err = r.WriteTree(h, []tree.Edit{{Path: "x", Mode: tree.Regular, Hash: h}})
	default:
		if _, err = r.BlobSize(h); err == nil {
			_, err = r.Blob(h)
		}
	}
	return err
}

// vastJunk puts n commits of 60 MB upon a journal, a few hundred bytes each on the hub.
func (d *world) vastJunk(upon tree.Hash, n int) tree.Hash {
	d.Helper()
	empty := d.gitIn("", "mktree")
	tail := "\nauthor E <e@x> 5 +0000\ncommitter E <e@x> 5 +0000\n\n" + strings.Repeat("x", 60<<20)
	var p storetest.Pack
	head := func(at tree.Hash) string { return "tree " + empty + "\nparent " + at.String() }
	first := head(upon) + tail
	base := p.Whole(storetest.KindCommit, []byte(first))
	at := base
	for range n - 1 {
		data := head(at) + tail
		p.Splice(base, len(first), []byte(head(at)), len(head(upon)), len(tail))
		at = storetest.Name(storetest.KindCommit, []byte(data))
	}
	p.Into(d, filepath.Join(d.dir, ".git"))
	return at
}

// Commits of 60 MB above a journal, which are a few hundred bytes on the hub, are read within a bound, and
// once. What is below one of them is still found.
func TestAttackVastJunk(t *testing.T) {
	d := newWorld(t)
	p := d.proposed("kublai", skill("clove-hitch"))
	hub := d.copied()
	ref := local.PullPrefix + p.ID
	whole := hub.ref(ref)
	for _, c := range []struct {
		n     int
		found bool
	}{{2, true}, {3, false}} { // the hub keeps the last
		hub.put(ref, hub.vastJunk(whole, c.n))
		hub.reopen()
		part, err := hub.Record.ReadablePart(p.ID, hub.ref(ref))
		switch {
		case c.found && (err != nil || part != whole):
			d.Fatalf("%d: the part ends at %s: %v", c.n, part.Short(), err)
		case !c.found && err == nil:
			d.succeeds("%d commits of 60 MB are read", c.n)
			return
		}
	}
	file := filepath.Join(d.dir, ".git", "assent", "damaged")
	pull := func() string {
		d.reopen()
		out, err := exchange.Pull(d.Context(), d.Workspace, "origin", false)
		d.ok(err)
		return fmt.Sprint(out.Problems, out.Proposals)
	}
	first := pull()
	known, err := os.ReadFile(file)
	d.ok(err)
	d.ok(os.WriteFile(file, []byte(strings.ReplaceAll(string(known), "malformed", "remembered")), 0o644))
	if again := pull(); again != first {
		d.Errorf("the second pull says %s, not %s", again, first)
	}
	if now, err := os.ReadFile(file); err != nil || !strings.Contains(string(now), "remembered") {
		d.succeeds("the journal is examined again: %v", err)
	}
	d.ok(os.Remove(file))
	if again := pull(); again != first {
		d.Errorf("without its memory the pull says %s, not %s", again, first)
	}
}
