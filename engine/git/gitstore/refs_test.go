package gitstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

func TestCompareAndSwap(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	b := commit(t, r, a, 1, files("f", "b")...)
	const name = "refs/heads/x"
	update(t, r, name, tree.Hash{}, a)
	var stale *gitstore.ErrStale
	for _, c := range []struct {
		step     string
		old, new tree.Hash
	}{
		{"create over it", tree.Hash{}, b}, {"wrong old", b, b}, {"delete with wrong old", b, tree.Hash{}},
	} {
		err := r.Update(gitstore.RefUpdate{Name: name, Old: c.old, New: c.new})
		if !errors.As(err, &stale) || stale.Got != a || stale.Want != c.old {
			t.Errorf("%s: %v, want ErrStale{%s, %s}", c.step, err, c.old.Short(), a.Short())
		}
	}
	git(t, r.Root(), "pack-refs", "--all")
	update(t, r, name, a, b)
	git(t, r.Root(), "pack-refs", "--all")
	update(t, r, name, b, tree.Hash{})
	if _, err := r.Ref(name); !errors.Is(err, gitstore.ErrNoRef) {
		t.Errorf("deleted packed ref: %v, want ErrNoRef", err)
	}
	if out := git(t, r.Root(), "for-each-ref"); out != "" {
		t.Errorf("git still sees %s", out)
	}
	if err := r.Update(gitstore.RefUpdate{Name: name, New: a, Any: true}); err != nil {
		t.Error(err)
	}
	if locks, err := r.StaleLocks(); err != nil || len(locks) != 0 {
		t.Errorf("locks are left: %v, %v", locks, err)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	update(t, r, "refs/heads/one", tree.Hash{}, a)
	b := commit(t, r, a, 1, files("f", "b")...)
	err := r.Update(
		gitstore.RefUpdate{Name: "refs/heads/two", New: b},
		gitstore.RefUpdate{Name: "refs/heads/one", Old: b, New: b})
	var stale *gitstore.ErrStale
	if !errors.As(err, &stale) || stale.Ref != "refs/heads/one" {
		t.Fatalf("Update = %v, want ErrStale of one", err)
	}
	if _, err := r.Ref("refs/heads/two"); !errors.Is(err, gitstore.ErrNoRef) {
		t.Errorf("two was moved although one was stale: %v", err)
	}
}

func TestRefNameConflicts(t *testing.T) {
	for _, pack := range []bool{false, true} {
		r := newRepo(t)
		a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
		update(t, r, "refs/heads/a", tree.Hash{}, a)
		update(t, r, "refs/heads/b/c", tree.Hash{}, a)
		if pack {
			git(t, r.Root(), "pack-refs", "--all")
		}
		for _, name := range []string{"refs/heads/a/b", "refs/heads/b"} {
			if err := r.Update(gitstore.RefUpdate{Name: name, New: a}); !errors.Is(err, gitstore.ErrRefConflict) {
				t.Errorf("packed=%v: creating %s: %v, want ErrRefConflict", pack, name, err)
			}
		}
		update(t, r, "refs/heads/b/c", a, tree.Hash{})
		update(t, r, "refs/heads/b", tree.Hash{}, a)
		if got := git(t, r.Root(), "for-each-ref", "--format=%(refname)"); got != "refs/heads/a\nrefs/heads/b" {
			t.Errorf("packed=%v: git sees %q", pack, got)
		}
	}
}

func TestHostileRefNames(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	for _, name := range []string{"", "HEAD", "main", "config", "refs/", "refs//x", "refs/heads/", "refs/heads/../../config",
		"refs/heads/a..b", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a.lock/b", "refs/heads/a b", "refs/heads/a\nb", "refs/heads/a\x00",
		"refs/heads/a~1", "refs/heads/a^", "refs/heads/a:b", "refs/heads/a?", "refs/heads/*", "refs/heads/[", `refs/heads/a\b`, "refs/heads/a@{1}",
		"refs/heads/a.", "refs/heads/a/", "/refs/heads/a", "refs/heads/\x7f", "refs/heads/" + strings.Repeat("x", 300)} {
		if err := r.Update(gitstore.RefUpdate{Name: name, New: a}); !errors.Is(err, gitstore.ErrBadName) {
			t.Errorf("Update(%q) = %v, want ErrBadName", name, err)
		}
		if len(name) > 250 || !strings.HasPrefix(name, "refs/") || strings.ContainsRune(name, 0) {
			continue
		}
		if _, err := tryGit(t, r.Root(), "check-ref-format", name); err == nil {
			t.Errorf("git accepts %q", name)
		}
	}
	for _, name := range []string{"refs/heads/ünïcode", "refs/heads/a{b", "refs/heads/a@b", "refs/heads/-x", "refs/assent/pulls/01J", "refs/heads/a.locked"} {
		if err := r.Update(gitstore.RefUpdate{Name: name, New: a}); err != nil {
			t.Errorf("Update(%q) = %v", name, err)
		}
		git(t, r.Root(), "check-ref-format", name)
	}
}

func TestUpdateNeedsItsObjects(t *testing.T) {
	r := newRepo(t)
	missing := tree.BlobHash([]byte("nowhere"))
	if err := r.Update(gitstore.RefUpdate{Name: "refs/heads/x", New: missing}); !errors.Is(err, gitstore.ErrNoObject) {
		t.Errorf("Update to a missing object: %v, want ErrNoObject", err)
	}
	blob, err := r.WriteBlob([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Update(gitstore.RefUpdate{Name: "refs/heads/x", New: blob}); err == nil {
		t.Error("a branch was made to name a blob")
	}
}

func TestHeldLock(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	write(t, r.GitDir(), "refs/heads/x.lock", "")
	err := r.Update(gitstore.RefUpdate{Name: "refs/heads/x", New: a})
	var locked *gitstore.ErrLocked
	if !errors.As(err, &locked) || filepath.Base(locked.Path) != "x.lock" {
		t.Errorf("Update = %v, want ErrLocked of x.lock", err)
	}
	locks, err := r.StaleLocks()
	if err != nil || len(locks) != 1 || filepath.Base(locks[0].Path) != "x.lock" {
		t.Errorf("StaleLocks = %v, %v", locks, err)
	}
}

func TestRefs(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	b := commit(t, r, a, 1, files("f", "b")...)
	for _, name := range []string{"refs/heads/main", "refs/assent/pulls/b", "refs/assent/pulls/a", "refs/assent/runs/1"} {
		update(t, r, name, tree.Hash{}, a)
	}
	git(t, r.Root(), "pack-refs", "--all")
	update(t, r, "refs/assent/pulls/b", a, b)
	write(t, r.GitDir(), "refs/assent/pulls/broken", "\n")
	write(t, r.GitDir(), "refs/assent/pulls/c.lock", "")
	got, err := r.Refs("refs/assent/pulls/")
	want := []gitstore.Ref{{Name: "refs/assent/pulls/a", Hash: a}, {Name: "refs/assent/pulls/b", Hash: b}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err == nil || !strings.Contains(err.Error(), "refs/assent/pulls/broken") {
		t.Errorf("the broken ref is not named: %v", err)
	}
	if broken, rest := gitstore.BrokenRefs(err); len(broken) != 1 || rest != nil || !errors.Is(err, gitstore.ErrCorrupt) {
		t.Errorf("%d refs are broken, and %v; want one and nothing else", len(broken), rest)
	}
	if all, _ := r.Refs(""); len(all) != 4 {
		t.Errorf("Refs(\"\") = %v, want 4", all)
	}
}

// TestConcurrentSwapsBesideGit: several handles, like processes, and git itself increment at
// once, and no increment is lost.
func TestConcurrentSwapsBesideGit(t *testing.T) {
	r := newRepo(t)
	first := commit(t, r, tree.Hash{}, 0, files("f", "0")...)
	const name = "refs/heads/x"
	update(t, r, name, tree.Hash{}, first)
	const writers, each, byGit = 4, 10, 8
	var group sync.WaitGroup
	for w := range writers {
		mine := open(t, r.Root())
		group.Go(func() {
			for i := range each {
				for {
					old, err := mine.Ref(name)
					if err != nil {
						t.Error(err)
						return
					}
					c := commit(t, mine, old, int64(i), files(fmt.Sprintf("w%d-%d", w, i), "x")...)
					err = mine.Update(gitstore.RefUpdate{Name: name, Old: old, New: c})
					var stale *gitstore.ErrStale
					if errors.As(err, &stale) {
						continue
					}
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	group.Go(func() {
		for done := 0; done < byGit; {
			old := git(t, r.Root(), "rev-parse", name)
			c := git(t, r.Root(), "commit-tree", old+"^{tree}", "-p", old, "-m", "by git")
			if _, err := tryGit(t, r.Root(), "update-ref", name, c, old); err == nil {
				done++
			}
			tryGit(t, r.Root(), "pack-refs", "--all")
		}
	})
	group.Wait()
	if got, want := git(t, r.Root(), "rev-list", "--count", name), fmt.Sprint(1+writers*each+byGit); got != want {
		t.Errorf("%s commits on the ref, want %s: updates were lost", got, want)
	}
	git(t, r.Root(), "fsck", "--strict")
}

// TestWritingDuringGC: gc --prune=now deletes every object that no ref reaches at that moment.
func TestWritingDuringGC(t *testing.T) {
	r := newRepo(t)
	const name = "refs/heads/x"
	head := commit(t, r, tree.Hash{}, 0, files("f", "0")...)
	update(t, r, name, tree.Hash{}, head)
	stop := make(chan struct{})
	var group sync.WaitGroup
	defer group.Wait()
	finish := sync.OnceFunc(func() { close(stop) })
	defer finish()
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if out, err := tryGit(t, r.Root(), "-c", "core.filesRefLockTimeout=5000", "gc", "-q", "--prune=now"); err != nil {
					t.Errorf("gc: %v %s", err, out)
					return
				}
			}
		}
	})
	for i := range 80 {
		next := commit(t, r, head, int64(i), files(fmt.Sprintf("d%d/f", i%7), fmt.Sprint(i))...)
		update(t, r, name, head, next)
		head = next
	}
	finish()
	group.Wait()
	if out := git(t, r.Root(), "fsck", "--strict", "--connectivity-only"); strings.Contains(out, "missing") {
		t.Error(out)
	}
	if keeps, err := filepath.Glob(filepath.Join(r.GitDir(), "objects", "pack", "*.keep")); err != nil || len(keeps) != 0 {
		t.Errorf("protection is left behind: %v %v", keeps, err)
	}
}

// TestObjectsAreProtectedUntilTheRefMoves: gc runs after the objects are stored and before the
// ref moves; the test holds the ref's lock meanwhile.
func TestObjectsAreProtectedUntilTheRefMoves(t *testing.T) {
	r := newRepo(t)
	head := commit(t, r, tree.Hash{}, 0, files("f", "0")...)
	update(t, r, "refs/heads/x", tree.Hash{}, head)
	lock := filepath.Join(r.GitDir(), "refs", "heads", "y.lock")
	write(t, r.GitDir(), "refs/heads/y.lock", "")
	next := commit(t, r, head, 1, files("g", "1")...)
	done := make(chan error)
	go func() { done <- r.Update(gitstore.RefUpdate{Name: "refs/heads/y", New: next}) }()
	for stored := false; !stored; {
		keeps, err := filepath.Glob(filepath.Join(r.GitDir(), "objects", "pack", "*.keep"))
		packs, perr := filepath.Glob(filepath.Join(r.GitDir(), "objects", "pack", "*.idx"))
		if err != nil || perr != nil {
			t.Fatal(err, perr)
		}
		select {
		case err := <-done:
			t.Fatalf("Update ended (%v) before its objects were protected", err)
		default:
			stored = len(keeps) == 1 && len(packs) == 2
		}
	}
	git(t, r.Root(), "gc", "-q", "--prune=now")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if out := git(t, r.Root(), "fsck", "--strict", "--full"); strings.Contains(out, "missing") {
		t.Error(out)
	}
}

func TestNothingIsWrittenForALostRace(t *testing.T) {
	r := newRepo(t)
	a := commit(t, r, tree.Hash{}, 0, files("f", "a")...)
	update(t, r, "refs/heads/x", tree.Hash{}, a)
	packs := func() int {
		names, err := os.ReadDir(filepath.Join(r.GitDir(), "objects", "pack"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := packs()
	b := commit(t, r, a, 1, files("f", "b")...)
	if err := r.Update(gitstore.RefUpdate{Name: "refs/heads/x", New: b}); err == nil {
		t.Fatal("create-only moved an existing ref")
	}
	if got := packs(); got != before {
		t.Errorf("%d files in the pack folder, want %d", got, before)
	}
}
