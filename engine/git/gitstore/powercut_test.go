package gitstore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
)

// TestPowerCuts cuts the power after every operation of every act. Only synced data is certain
// to remain.
func TestPowerCuts(t *testing.T) {
	for _, a := range acts() {
		t.Run(a.name, func(t *testing.T) {
			if h := powerCuts(t, a, true, nothing); h != "" {
				t.Error(h)
			}
		})
	}
	t.Run("init", func(t *testing.T) {
		if h := initCuts(t, nothing); h != "" {
			t.Error(h)
		}
	})
}

// forget changes recorded operations, to see the effect on power cuts.
type forget func([]disktest.Op) []disktest.Op

func nothing(ops []disktest.Op) []disktest.Op { return ops }

// losses are tried after every operation; the random one twice.
var losses = []disktest.Loss{disktest.LoseAll, disktest.LoseContent, disktest.LoseSome, disktest.LoseSome}

// harm describes damage by a power cut.
type harm string

// harmed returns the harm that f panics with.
func harmed(f func()) (found harm) {
	defer func() {
		if h, ok := recover().(harm); ok {
			found = h
		}
	}()
	f()
	return ""
}

// powerCuts returns the damage of the first power cut that does any.
func powerCuts(t *testing.T, a act, fsck bool, change forget) harm {
	t.Helper()
	before := prepared(t, a)
	live := copyOf(t, before)
	disk := &disktest.Disk{}
	r, err := gitstore.OpenOn(disk, live)
	if err == nil {
		err = a.run(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	ops := change(disk.Ops())
	return harmed(func() {
		everyCut(t, ops, func(n int, when string, cut func(dir string)) {
			if n < len(ops) && a.skips(n, 1) {
				return
			}
			dir := copyOf(t, before)
			defer os.RemoveAll(filepath.Dir(dir))
			cut(dir)
			fail := func(format string, args ...any) { panic(harm(when + fmt.Sprintf(format, args...))) }
			a.prefix(t, before, dir, fail)
			if n == len(ops) {
				is, want := refValues(t, dir, fail), refValues(t, live, fail)
				if !maps.Equal(is, want) || read(t, dir, "HEAD") != read(t, live, "HEAD") {
					fail("acknowledged and lost: refs are %v, want %v", is, want)
				}
			}
			if !fsck || n%5 != 0 && n < len(ops)-3 {
				return // git checks only some: each costs a process
			}
			if out, err := tryGit(t, dir, "fsck", "--strict", "--no-dangling"); err != nil {
				fail("git fsck: %s", out)
			}
		}, live)
	})
}

// everyCut calls visit for each point and each loss; cut brings a copy of the original to the
// state after the power cut.
func everyCut(t *testing.T, ops []disktest.Op, visit func(n int, when string, cut func(dir string)), live string) {
	t.Helper()
	chance := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same cuts every time
	for n := range len(ops) + 1 {
		for _, loss := range losses {
			visit(n, fmt.Sprintf("cut after operation %d of %d, loss %d: ", n, len(ops), loss), func(dir string) {
				if err := disktest.Cut(dir, live, ops, n, loss, chance); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// initCuts is powerCuts for Init.
func initCuts(t *testing.T, change forget) harm {
	t.Helper()
	live, disk := scratch(t), &disktest.Disk{}
	if _, err := gitstore.InitOn(disk, live); err != nil {
		t.Fatal(err)
	}
	ops := change(disk.Ops())
	return harmed(func() {
		everyCut(t, ops, func(n int, when string, cut func(dir string)) {
			dir := scratch(t)
			defer os.RemoveAll(dir)
			cut(dir)
			if n == len(ops) {
				if _, err := gitstore.Open(dir); err != nil {
					panic(harm(when + "acknowledged and lost: " + err.Error()))
				}
			}
			r, err := gitstore.InitOn(&disktest.Disk{}, dir)
			if err != nil {
				panic(harm(when + "making it again: " + err.Error()))
			}
			if r.Config("core.repositoryformatversion") != "0" {
				panic(harm(when + "its configuration is empty"))
			}
			update(t, r, "refs/heads/main", tree.Hash{}, commit(t, r, tree.Hash{}, 1, files("a", "a")...))
		}, live)
	})
}

// TestEverySyncIsNeeded drops the syncs of each place in turn; some power cut must then do
// harm.
func TestEverySyncIsNeeded(t *testing.T) {
	sites, err := disktest.Sites(".")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]harm{}
	for site, kind := range sites {
		if kind != disktest.Sync && kind != disktest.SyncDir || strings.HasPrefix(site, "refs.go") {
			continue // SyncRef is for refs that others moved; TestSeenBeforeItWasSynced of package workspace needs it
		}
		without := func(ops []disktest.Op) []disktest.Op {
			return slices.DeleteFunc(ops, func(op disktest.Op) bool { return op.Site == site && op.Kind == kind })
		}
		found[site] = initCuts(t, without)
		for _, a := range acts() {
			if found[site] == "" && a.name != manyPacks {
				found[site] = powerCuts(t, a, false, without)
			}
		}
	}
	for _, site := range slices.Sorted(maps.Keys(found)) {
		t.Logf("without the %s of %s: %s", sites[site], site, found[site])
		if found[site] == "" {
			t.Errorf("the %s of %s is needed by nothing", sites[site], site)
		}
	}
}

// TestOnlyDiskWrites: changes must go through the disk, or these tests cannot cut them.
func TestOnlyDiskWrites(t *testing.T) {
	// The other files change the user's checkout, as git would, and keep a note about it that
	// is only a hint.
	direct, err := disktest.Direct(".", "disk.go", "refresh.go", "refreshplan.go", "behind.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range direct {
		t.Error(call)
	}
}
