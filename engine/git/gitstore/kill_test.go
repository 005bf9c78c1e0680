package gitstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/effort"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
)

// act is a change of a repository that can be cut at any point.
type act struct {
	name string
	// prepare brings a fresh repository to the start of the act.
	prepare func(t *testing.T, r *gitstore.Repo)
	// begin does setup that a copy of the folder does not keep.
	begin func(t *testing.T, dir string)
	// run does the act; running it again after a cut must complete it.
	run func(r *gitstore.Repo) error
	// order lists refs in the order in which they reach their final value.
	order []string
}

// manyPacks is an act of hundreds of operations, most of one kind.
const manyPacks = "small packs become one"

// skips reports whether an operation of one kind was cut often enough, except in nightly runs.
func (a act) skips(op, before int) bool {
	return a.name == manyPacks && op%5 != 0 && before > 0 && !effort.Nightly()
}

func acts() []act {
	const x, y, z = "refs/assent/pulls/x", "refs/heads/main", "refs/heads/proposal/x"
	one := func(t *testing.T, r *gitstore.Repo) {
		base := commit(t, r, tree.Hash{}, 1, files("skills/a/SKILL.md", "a")...)
		update(t, r, y, tree.Hash{}, base)
		update(t, r, x, tree.Hash{}, base)
		update(t, r, z, tree.Hash{}, base)
	}
	grow := func(r *gitstore.Repo) (old, fresh tree.Hash, err error) {
		old, err = r.Ref(y)
		if err != nil {
			return old, old, err
		}
		c, err := r.Commit(old)
		if err != nil {
			return old, old, err
		}
		root, err := r.WriteTree(c.Tree, files("skills/b/SKILL.md", "b", "skills/b/scripts/run.sh", "exit 0\n"))
		if err != nil {
			return old, old, err
		}
		fresh, err = r.WriteCommit(gitstore.Commit{Tree: root, Parents: []tree.Hash{old}, Author: person(2), Committer: person(2), Message: "b\n"}, nil)
		return old, fresh, err
	}
	// settle makes the ref moves that the last run did not complete.
	settle := func(r *gitstore.Repo, want ...gitstore.RefUpdate) error {
		var left []gitstore.RefUpdate
		for _, u := range want {
			at, err := r.Ref(u.Name)
			if err != nil && !errors.Is(err, gitstore.ErrNoRef) {
				return err
			}
			if u.Old = at; at != u.New {
				left = append(left, u)
			}
		}
		return r.Update(left...)
	}
	three := func(r *gitstore.Repo) error {
		_, fresh, err := grow(r)
		if err != nil {
			return err
		}
		if at, _ := r.Ref(x); !at.IsZero() { // the act was decided already
			if c, err := r.Commit(at); err == nil && strings.HasPrefix(c.Message, "b") {
				fresh = at
			}
		}
		return settle(r, gitstore.RefUpdate{Name: x, New: fresh}, gitstore.RefUpdate{Name: y, New: fresh}, gitstore.RefUpdate{Name: z})
	}
	packRefs := func(t *testing.T, r *gitstore.Repo) {
		one(t, r)
		git(t, r.CommonDir(), "pack-refs", "--all", "--prune")
	}
	return []act{
		{"two refs move and a third goes", one, nil, three, []string{x, y, z}},
		{"they are packed", packRefs, nil, three, []string{x, y, z}},
		{"a ref where folders were", func(t *testing.T, r *gitstore.Repo) {
			one(t, r)
			for _, dir := range []string{"refs/heads/deep/er", "logs/refs/heads/deep/er"} {
				if err := os.MkdirAll(filepath.Join(r.CommonDir(), dir), 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}, nil, func(r *gitstore.Repo) error {
			at, err := r.Ref(y)
			if err != nil {
				return err
			}
			return settle(r, gitstore.RefUpdate{Name: "refs/heads/deep", New: at})
		}, []string{"refs/heads/deep"}},
		{"what somebody moved is synced", one, nil, func(r *gitstore.Repo) error {
			return r.SyncRef(y)
		}, nil},
		{"objects alone", one, nil, func(r *gitstore.Repo) error {
			if _, _, err := grow(r); err != nil {
				return err
			}
			return r.Sync()
		}, nil},
		{manyPacks, func(t *testing.T, r *gitstore.Repo) {
			one(t, r)
			at, err := r.Ref(y)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 70 {
				commit(t, r, at, int64(i), files(fmt.Sprintf("skills/s%d/SKILL.md", i), "text\n")...)
				if err := r.Sync(); err != nil {
					t.Fatal(err)
				}
			}
		}, nil, three, []string{x, y, z}},
		{"an object that is a detour", func(t *testing.T, r *gitstore.Repo) {
			one(t, r)
			var p storetest.Pack
			p.Upon(p.Whole(storetest.KindBlob, make([]byte, 8<<20)), 8<<20, storetest.KindBlob, []byte("far"))
			p.Into(t, r.CommonDir())
		}, nil, func(r *gitstore.Repo) error {
			if text, err := r.Blob(storetest.Name(storetest.KindBlob, []byte("far"))); err != nil || string(text) != "far" {
				return fmt.Errorf("%q, %w", text, err)
			}
			return three(r)
		}, []string{x, y, z}},
		{"HEAD before the first commit", func(*testing.T, *gitstore.Repo) {}, nil, func(r *gitstore.Repo) error {
			return r.PointUnbornHead("refs/heads/trunk")
		}, nil},
		{"what a dead process left", one, func(t *testing.T, dir string) { dying(t, dir, 30, three) }, three, []string{x, y, z}},
	}
}

// dying runs an act on a disk that dies at operation n.
func dying(t *testing.T, dir string, n int, run func(*gitstore.Repo) error) {
	t.Helper()
	disk := &disktest.Disk{DieAt: n}
	r, err := gitstore.OpenOn(disk, dir)
	if err == nil {
		err = run(r)
	}
	if !errors.Is(err, disktest.ErrDead) {
		t.Fatalf("it should have died: %v", err)
	}
}

// TestKills kills every act at every operation, and kills the cleanup after a failed operation
// at every operation too. Every place in this package that changes the disk must be killed at
// least once.
func TestKills(t *testing.T) {
	gits := 0 // git checks every fifth case: each costs a process
	sites, err := disktest.Sites(".")
	if err != nil {
		t.Fatal(err)
	}
	kills := map[string]int{}
	kill := func(t *testing.T, a act, before string, disk *disktest.Disk) []disktest.Op {
		dir := copyOf(t, before)
		if a.begin != nil {
			a.begin(t, dir)
		}
		r, err := gitstore.OpenOn(disk, dir)
		if err != nil {
			t.Fatal(err)
		}
		_ = a.run(r)
		ops := disk.Ops()
		var last disktest.Op
		if disk.DieAt > 0 && disk.DieAt <= len(ops) {
			last = ops[disk.DieAt-1]
			kills[last.Site]++
		}
		a.recovers(t, before, dir, fmt.Sprintf("fail at %d, die at %d: %s %s", disk.FailAt, disk.DieAt, last.Site, last.Path),
			disk.Torn || disk.FailAt > 0 && disk.FailAt <= len(ops) && aboutClaims(ops[disk.FailAt-1]))
		if gits++; gits%5 == 0 {
			git(t, dir, "fsck", "--strict", "--no-dangling")
		}
		os.RemoveAll(filepath.Dir(dir))
		return ops
	}
	for _, a := range acts() {
		t.Run(a.name, func(t *testing.T) {
			before := prepared(t, a)
			all := kill(t, a, before, &disktest.Disk{})
			for i, op := range all {
				if a.skips(i, kills[op.Site]) {
					continue
				}
				kill(t, a, before, &disktest.Disk{DieAt: i + 1})
				if op.Kind == disktest.Write {
					kill(t, a, before, &disktest.Disk{DieAt: i + 1, Torn: true})
				}
			}
			if a.name == manyPacks {
				return // the operations of other acts, seventy times
			}
			after := map[string]bool{}
			for i := range all {
				for j, op := range kill(t, a, before, &disktest.Disk{FailAt: i + 1}) {
					if j > i && !after[op.Site] {
						after[op.Site] = true
						kill(t, a, before, &disktest.Disk{FailAt: i + 1, DieAt: j + 1})
					}
				}
			}
		})
	}
	t.Run("init", func(t *testing.T) { killInit(t, kills) })
	for _, s := range slices.Sorted(maps.Keys(sites)) {
		t.Logf("%-24s %-8s killed %d times", s, sites[s], kills[s])
		if kills[s] == 0 {
			t.Errorf("%s: %s was never killed", s, sites[s])
		}
	}
}

func aboutClaims(op disktest.Op) bool { return strings.Contains(op.Path, "/.git/assent") }

// killInit kills Init at every operation; the next Init completes it.
func killInit(t *testing.T, kills map[string]int) {
	for n := 1; ; n++ {
		dir, disk := t.TempDir(), &disktest.Disk{DieAt: n}
		_, err := gitstore.InitOn(disk, dir)
		if err == nil {
			return
		}
		kills[disk.Ops()[n-1].Site]++
		r, err := gitstore.InitOn(&disktest.Disk{}, dir)
		if err != nil {
			t.Fatalf("killed at operation %d: %v", n, err)
		}
		update(t, r, "refs/heads/main", tree.Hash{}, commit(t, r, tree.Hash{}, 1, files("a", "a")...))
		git(t, dir, "fsck", "--strict")
	}
}

func prepared(t *testing.T, a act) string {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	r, err := gitstore.InitOn(&disktest.Disk{}, scratch(t)) // does not wait for a real disk
	if err != nil {
		t.Fatal(err)
	}
	a.prepare(t, r)
	return r.CommonDir()
}

// scratch returns a folder in memory if the system has one: thousands of copies are made and
// none must persist.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "assent-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// copyOf copies a Git folder. Packs are linked, because they never change.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(scratch(t), ".git")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, dir))
		switch {
		case e.IsDir():
			return os.Mkdir(target, 0o777)
		case strings.HasPrefix(e.Name(), "pack-") && os.Link(path, target) == nil:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// recovers checks a repository after a cut against the invariants of any cut, and runs the act
// again.
func (a act) recovers(t *testing.T, before, dir, when string, unclaimed bool) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s: %s", when, fmt.Sprintf(format, args...))
	}
	a.prefix(t, before, dir, fail)
	r, err := gitstore.OpenOn(&disktest.Disk{}, dir)
	if err != nil {
		fail("open: %v", err)
	}
	if unclaimed { // as doctor does once locks are old
		left, err := r.StaleLocks()
		if err != nil {
			fail("left behind: %v, %v", left, err)
		}
		for _, l := range left {
			if err := os.Remove(l.Path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.run(r); err != nil {
		fail("doing it again: %v", err)
	}
	a.prefix(t, before, dir, fail)
	if left, err := r.StaleLocks(); err != nil || len(left) > 0 {
		fail("left behind: %v, %v", left, err)
	}
	for _, of := range []string{"claims", "locks"} {
		if left, _ := filepath.Glob(filepath.Join(dir, "assent", of, "*")); len(left) > 0 {
			fail("%s left behind: %v", of, left)
		}
	}
}

// prefix checks that no ref is broken, and that the moved refs are the first ones in the act's
// order.
func (a act) prefix(t *testing.T, before, dir string, fail func(string, ...any)) {
	t.Helper()
	was, is := refValues(t, before, fail), refValues(t, dir, fail)
	for name := range was {
		if was[name] != is[name] && !slices.Contains(a.order, name) {
			fail("%s moved from %s to %s", name, was[name], is[name])
		}
	}
	stopped := ""
	for _, name := range a.order {
		switch moved := was[name] != is[name]; {
		case !moved && stopped == "":
			stopped = name
		case moved && stopped != "":
			fail("%s moved before %s", name, stopped)
		}
	}
}

// refValues reads all refs, and fails on an empty or malformed one.
func refValues(t *testing.T, dir string, fail func(string, ...any)) map[string]tree.Hash {
	t.Helper()
	r, err := gitstore.Open(dir)
	if err != nil {
		fail("open: %v", err)
	}
	refs, err := r.Refs("refs/")
	if err != nil {
		fail("refs: %v", err)
	}
	out := map[string]tree.Hash{}
	for _, ref := range refs {
		out[ref.Name] = ref.Hash
		c, err := r.Commit(ref.Hash)
		if err != nil {
			fail("%s: %v", ref.Name, err)
		}
		view, err := r.Snapshot(c.Hash)
		if err == nil {
			err = tree.Files(view, "", func(e tree.Entry) error { _, err := r.Blob(e.Hash); return err })
		}
		if err != nil {
			fail("%s: %v", ref.Name, err)
		}
	}
	return out
}
