package task_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge/hub"
	"github.com/assent-dev/assent/engine/git/gitstore/storetest"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// counter is a sandbox that runs nothing, reports success and counts. during is called while a script runs.
type counter struct {
	runs   *atomic.Int32
	during func()
}

func (counter) Protects() bool { return true }

func (counter) Start(context.Context, sandbox.Spec) (*sandbox.Process, error) {
	return nil, &sandbox.SpecError{}
}

func (c counter) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	c.runs.Add(1)
	if c.during != nil {
		c.during()
	}
	return sandbox.Result{Ended: sandbox.Exited}, nil
}

// clones gives each of n engines a clone of a hub without a service. All count their scripts in runs.
func clones(t *testing.T, flow string, n int) (all []*place, runs *atomic.Int32) {
	t.Helper()
	p, folder := beginWith(t, flow), t.TempDir()
	storetest.Git(t, folder, "init", "-q", "--bare", "-b", "main", "hub.git")
	storetest.Git(t, p.Dir, "remote", "add", "origin", filepath.Join(folder, "hub.git"))
	storetest.Git(t, p.Dir, "push", "-q", "origin", "main", "refs/assent/*:refs/assent/*")
	runs = &atomic.Int32{}
	for range n {
		q := p.copied(t)
		q.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return counter{runs: runs}, nil }
		q.reach = func(w *workspace.Workspace) error { // as serve.Pass
			_, err := exchange.Pull(t.Context(), w, "origin", false)
			exchange.Through(w, "origin")
			return err
		}
		all = append(all, q)
	}
	return all, runs
}

// setAside lists what a clone set aside.
func (p *place) setAside() string {
	p.Helper()
	return storetest.Git(p.TB.(*testing.T), p.Dir, "for-each-ref", "refs/assent-aside")
}

// Engines of several clones of a hub begin one run, and each of its scripts starts once.
func TestScriptsOfSeveralClones(t *testing.T) {
	all, runs := clones(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs:\n"+
		"  a: {run: 'true', matrix: {n: ['1', '2', '3', '4']}}\n  b: {run: 'true', needs: a}\n  tell: {uses: notify, needs: b, message: It is tied.}\n", 3)
	var together sync.WaitGroup
	for _, p := range all { // none sees the others' beginning of the run
		w, err := p.on(nil)
		p.OK(err)
		id, err := beginRun(p, w)
		p.OK(err)
		together.Go(func() {
			_, err := task.Advance(t.Context(), w, id)
			if err == nil {
				_, err = exchange.Push(t.Context(), w, exchange.Options{Remote: "origin"})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	together.Wait()
	for _, p := range all {
		w, err := p.on(nil)
		p.OK(err)
		_, err = task.Advance(t.Context(), w, p.run(w).ID)
		p.OK(err)
		if s := p.run(w); s.Outcome != run.Completed || runs.Load() != 5 {
			t.Errorf("%q, and 5 scripts ran %d times: %q", s.Outcome, runs.Load(), p.told(w))
		}
		if aside := p.setAside(); aside != "" {
			t.Errorf("something was set aside: %s", aside)
		}
	}
}

// An engine takes over a script of another clone once its lease on the hub has ended, and not because it has not
// yet seen that the lease was renewed.
func TestLeaseOfAnotherClone(t *testing.T) {
	all, runs := clones(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs: {look: {run: 'true'}}\n", 2)
	first, second := all[0], all[1]
	began, free, over := make(chan bool), make(chan bool), make(chan error, 1)
	release := sync.OnceFunc(func() { close(free) })
	defer release()
	first.Given.Sandbox = func(context.Context) (sandbox.Runner, error) {
		return counter{runs, func() { began <- true; <-free }}, nil
	}
	w, err := first.on(nil)
	first.OK(err)
	go func() { over <- start(first, w) }()
	select {
	case <-began:
	case err := <-over:
		t.Fatalf("it did not begin: %v", err)
	}
	behind, err := second.on(nil)
	second.OK(err)
	s, err := behind.Runs.Read(second.run(behind).ID)
	second.OK(err)
	renewed := run.Record{V: run.Version, Kind: run.Renewed, Job: "look", Attempt: 1, Token: s.Jobs["look"].Token, Until: second.Clock.Add(task.Lease + 40*time.Second)}
	w, err = first.on(nil)
	first.OK(err)
	_, err = runlog.Of(w.Repo).Agreed(hub.New(w.Repo, "origin", exchange.SyncOf(w, "origin")).Agree).Append(t.Context(), s.ID, "assent", second.Clock.Add(40*time.Second), func(run.State) (*run.Record, error) { return &renewed, nil })
	first.OK(err)
	second.Clock = s.Jobs["look"].Until
	if _, err := task.Advance(t.Context(), behind, s.ID); err != nil || runs.Load() != 1 || second.setAside() != "" {
		t.Errorf("while it runs: %v, it started %d times, set aside: %s", err, runs.Load(), second.setAside())
	}
	second.Clock = renewed.Until
	w, err = second.on(nil)
	second.OK(err)
	if out, err := task.Advance(t.Context(), w, s.ID); err != nil || runs.Load() != 2 || out.Outcome != run.Completed {
		t.Errorf("after its lease: %v, %q, it started %d times", err, out.Outcome, runs.Load())
	}
	_, err = exchange.Push(t.Context(), w, exchange.Options{Remote: "origin"})
	second.OK(err)
	release() // the first one was not dead
	first.OK(<-over)
	w, err = first.on(nil)
	first.OK(err)
	if told := strings.Join(first.told(w), ", "); strings.Count(told, "done look") != 1 || first.setAside() != "" {
		t.Errorf("%s; set aside: %s", told, first.setAside())
	}
}

// If the hub cannot be reached, a script waits; one that runs goes on.
func TestHubAway(t *testing.T) {
	all, runs := clones(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs: {look: {run: 'true'}}\n", 1)
	p := all[0]
	w, err := p.on(nil)
	p.OK(err)
	there := strings.TrimSpace(storetest.Git(t, p.Dir, "remote", "get-url", "origin"))
	p.OK(os.Rename(there, there+".away"))
	id, err := beginRun(p, w)
	p.OK(err)
	if out, err := task.Advance(t.Context(), w, id); err != nil || !strings.Contains(out.Waits, "look begins once the remote") || runs.Load() != 0 {
		t.Errorf("%v, waits: %q, it started %d times", err, out.Waits, runs.Load())
	}
	p.OK(os.Rename(there+".away", there))
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) {
		return counter{runs, func() {
			if err := os.Rename(there, there+".away"); err != nil {
				t.Error(err)
			}
		}}, nil
	}
	w, err = p.on(nil)
	p.OK(err)
	if out, err := task.Advance(t.Context(), w, id); err != nil || out.Outcome != run.Completed || runs.Load() != 1 {
		t.Errorf("%v, %q, it started %d times", err, out.Outcome, runs.Load())
	}
}

// While the hub takes in a step, a pull of another process can bring it here first. The script starts nevertheless.
func TestConcurrentPullOfStart(t *testing.T) {
	all, runs := clones(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs: {look: {run: 'true'}}\n", 1)
	p := all[0]
	there := strings.TrimSpace(storetest.Git(t, p.Dir, "remote", "get-url", "origin"))
	hook := "#!/bin/sh\nunset GIT_DIR\nwhile read old new ref; do git -C '" + p.Dir + "' fetch -q origin \"+$ref:$ref\"; done\n"
	p.OK(os.MkdirAll(filepath.Join(there, "hooks"), 0o755))
	p.OK(os.WriteFile(filepath.Join(there, "hooks", "post-receive"), []byte(hook), 0o755)) //nolint:gosec // git runs it
	w, err := p.on(nil)
	p.OK(err)
	p.OK(start(p, w))
	if told := strings.Join(p.told(w), ", "); runs.Load() != 1 || strings.Count(told, "begun look") != 1 || !strings.HasSuffix(told, "ended  0 assent") {
		t.Errorf("it started %d times: %s", runs.Load(), told)
	}
}
