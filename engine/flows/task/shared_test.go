package task_test

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge/host/memhost"
	"github.com/assent-dev/assent/engine/forge/hosted"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

// world is a folder with a hub, hub.git, and a clone for each engine, beside a service
// that shows the hub.
type world struct {
	folder  string
	engines []*place
}

// share publishes a workspace on a hub and gives each of n engines a clone.
func share(t *testing.T, n int) world {
	t.Helper()
	p := begin(t)
	w := world{folder: t.TempDir()}
	storetest.Git(t, w.folder, "init", "-q", "--bare", "-b", "main", "hub.git")
	storetest.Git(t, p.Dir, "push", "-q", filepath.Join(w.folder, "hub.git"), "main", "refs/assent/*:refs/assent/*")
	for i := range n {
		name := string(rune('a' + i))
		storetest.Git(t, w.folder, "clone", "-q", "hub.git", name)
		storetest.Git(t, filepath.Join(w.folder, name), "remote", "set-url", "origin", "../hub.git")
	}
	return w.served(t, n, p)
}

// served starts a service for the folder's hub and gives it n engines.
func (w world) served(t *testing.T, n int, like *place) world {
	t.Helper()
	hub, err := gitstore.Open(filepath.Join(w.folder, "hub.git"))
	if err != nil {
		t.Fatal(err)
	}
	server := memhost.New(func(branch string) tree.Hash { h, _ := hub.Ref("refs/heads/" + branch); return h })
	w.engines = nil
	for i := range n {
		p := &place{Place: &worldtest.Place{TB: t, Dir: filepath.Join(w.folder, string(rune('a'+i))), Clock: like.Clock}}
		p.reach = func(ws *workspace.Workspace) error {
			f := hosted.New(ws.Repo, "origin", server.As("engine"), func(ctx context.Context, id string) error {
				_, err := exchange.Pull(ctx, ws, "origin", false)
				if err == nil && id != "" {
					_, err = exchange.Push(ctx, ws, exchange.Options{Remote: "origin", IDs: []string{id}})
				}
				return err
			})
			ws.Forge, ws.Runs = f, runlog.Of(ws.Repo).Agreed(f.Agree)
			return f.Refresh(t.Context())
		}
		w.engines = append(w.engines, p)
	}
	return w
}

// copied is the same world elsewhere.
func (w world) copied(t *testing.T) world {
	t.Helper()
	c := world{folder: filepath.Join(t.TempDir(), "world")}
	if err := os.CopyFS(c.folder, os.DirFS(w.folder)); err != nil {
		t.Fatal(err)
	}
	return c.served(t, len(w.engines), w.engines[0])
}

// everywhere checks that all engines and the hub have one run, each step of it once.
func (w world) everywhere(t *testing.T, want run.Outcome) {
	t.Helper()
	for _, p := range w.engines {
		ws, err := p.on(nil)
		p.OK(err)
		seen := map[string]int{}
		for _, line := range p.told(ws) {
			step := strings.Join(strings.Fields(line)[:2], " ")
			if seen[step]++; seen[step] > 1 {
				t.Errorf("twice: %s", line)
			}
		}
		s := p.run(ws)
		if s.Outcome != want {
			t.Errorf("in %s the run is %q: %s", filepath.Base(p.Dir), s.Outcome, s.Reason)
		}
		here, err := ws.Repo.Ref(runlog.Prefix + s.ID)
		p.OK(err)
		if there := strings.TrimSpace(storetest.Git(t, filepath.Join(w.folder, "hub.git"), "rev-parse", runlog.Prefix+s.ID)); there != here.String() {
			t.Errorf("%s has %s, the hub %s", filepath.Base(p.Dir), here, there)
		}
		if aside := storetest.Git(t, p.Dir, "for-each-ref", "refs/assent-aside"); aside != "" {
			t.Errorf("something was set aside: %s", aside)
		}
	}
}

// Engines of several clones work on one run: one starts it, one gets each task, each step
// is recorded once, and no step is set aside.
func TestEnginesOfSeveralClones(t *testing.T) {
	w := share(t, 3)
	agents := []string{"scout", "smith"}
	together := func(a func(i int) act) (succeeded int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for i, p := range w.engines {
			all.Go(func() {
				ws, err := p.on(nil)
				if err == nil {
					err = a(i)(p, ws)
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					succeeded++
				case errors.Is(err, task.ErrTaken), errors.Is(err, task.ErrOver), strings.Contains(err.Error(), "no task waits"):
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		return succeeded
	}
	together(func(int) act { return start })
	if n := together(func(i int) act { return claim(agents[i%2], "developer") }); n == 0 || n > 2 {
		t.Errorf("%d of 3 have the task of one", n)
	}
	if n := together(func(i int) act { return deliver(agents[i%2], "build", true, skill()) }); n == 0 || n > 2 {
		t.Errorf("%d of 3 handed in", n)
	}
	together(func(i int) act { return deliver(agents[i%2], "look", false) })
	w.everywhere(t, run.Completed)
}

// If an engine dies at any disk operation, one of another clone continues from the hub's
// state. Repeating the dead engine's command leads to the same result.
func TestKilledAndFollowedElsewhere(t *testing.T) {
	w := share(t, 2)
	for _, command := range []struct {
		name string
		act  act
	}{
		{"start", start}, {"claim", claim("smith", "developer")}, {"deliver", deliver("smith", "build", true, skill())}, {"last task", deliver("scout", "look", false)},
	} {
		whole := w.copied(t)
		disk := &disktest.Disk{}
		ws, err := whole.engines[0].on(disk)
		if err == nil {
			err = command.act(whole.engines[0], ws)
		}
		if err != nil {
			t.Fatalf("%s: %v", command.name, err)
		}
		want := whole.engines[0].told(ws)
		ops, kills := len(disk.Ops()), 3
		if *every {
			kills = ops
		}
		step := 1 + ops/kills
		for n := 1 + mathrand.IntN(step); n <= ops; n += step {
			c := w.copied(t)
			dead, next := c.engines[0], c.engines[1]
			if ws, err := dead.on(&disktest.Disk{DieAt: n}); err == nil {
				_ = command.act(dead, ws)
			}
			for _, p := range []*place{next, dead} { // another engine repeats the command, then the one that died
				p.Unlock()
				ws, err := p.on(nil)
				p.OK(err)
				if err := command.act(p, ws); err != nil && !errors.Is(err, task.ErrOver) && !strings.Contains(err.Error(), "no task waits") {
					t.Fatalf("%s killed at %d of %d, and again in %s: %v", command.name, n, ops, filepath.Base(p.Dir), err)
				}
				if got := p.told(ws); !slices.Equal(got, want) {
					t.Errorf("%s killed at %d of %d: %q, want %q", command.name, n, ops, got, want)
				}
			}
		}
		w.engines[0].does(command.act)
	}
	w.everywhere(t, run.Completed)
}
