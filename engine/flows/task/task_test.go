package task_test

import (
	"errors"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/worldtest"
)

var every = flag.Bool("every", false, "kill at every operation of the disk")

const flow = `name: braid
on: {command: braid}
inputs: {capability: {required: true, form: name}, goal: {}}
jobs:
  build: {agent: developer, task: templates/a.md, deliver: "skills/{{capability}}/**", gate: result.confidence > 0.5, retries: 1, lease: 1h}
  look: {agent: analyst, task: templates/a.md, needs: build, timeout: 3d, remind: 1d}
  check: {uses: validate, needs: look, gate: report.passed}
  tell: {uses: notify, needs: check, message: It is built.}
`

// place is a workspace in a folder, at a time.
type place struct {
	*worldtest.Place
	// reach, unless nil, gives a process that opened the workspace its shared state.
	reach func(*workspace.Workspace) error
}

func begin(t testing.TB) *place {
	t.Helper()
	return beginWith(t, flow)
}

func beginWith(t testing.TB, flow string, more ...tree.Edit) *place {
	t.Helper()
	return &place{Place: worldtest.Begin(t, []string{"scout", "smith"}, append([]tree.Edit{
		{Path: "soul/scout/SOUL.md", Content: []byte("# Scout\n\n## Learned Capabilities\n")},
		{Path: "workflows/braid.yaml", Content: []byte(flow)}, {Path: "workflows/templates/a.md", Content: []byte("Do {{job}}.\n")},
	}, more...)...)}
}

// on opens the workspace like On, with the shared state.
func (p *place) on(disk gitstore.Disk) (*workspace.Workspace, error) {
	w, err := p.On(disk)
	if err == nil && p.reach != nil {
		err = p.reach(w)
	}
	return w, err
}

// copied is the same place elsewhere, with nothing shared.
func (p *place) copied(t *testing.T) *place {
	t.Helper()
	return &place{Place: p.Copied(t)}
}

// act is a command.
type act func(p *place, w *workspace.Workspace) error

func (p *place) does(a act) {
	p.Helper()
	w, err := p.on(nil)
	p.OK(err)
	p.OK(a(p, w))
}

const id = "clove-hitch-"

func (p *place) run(w *workspace.Workspace) run.State {
	p.Helper()
	all, _, err := w.Runs.All()
	if err != nil || len(all) != 1 || !strings.HasPrefix(all[0].ID, id) {
		p.Fatalf("%d runs, %v", len(all), err)
	}
	return all[0]
}

func start(p *place, w *workspace.Workspace) error {
	id, err := beginRun(p, w)
	if err == nil {
		_, err = task.Advance(p.Context(), w, id)
	}
	return err
}

// beginRun begins a run, or finds the one that goes on, and does nothing of it.
func beginRun(p *place, w *workspace.Workspace) (id string, err error) {
	cur, err := w.Session(p.Context())
	if err != nil {
		return "", err
	}
	flows, err := task.Workflows(cur)
	if err != nil || len(flows) != 1 {
		return "", fmt.Errorf("%d workflows, %w", len(flows), err)
	}
	s, diags, err := task.Start(p.Context(), cur, task.Beginning{
		Workflow: flows[0], Event: "command", By: "scout", For: "scout", Inputs: map[string]string{"capability": "clove-hitch", "goal": "tie it"},
	})
	var open *task.Open
	if errors.As(err, &open) { // as for a person who asks again
		s.ID, err = open.ID, nil
	}
	if err != nil || diags.HasErrors() {
		return "", errors.Join(err, fmt.Errorf("%v", diags))
	}
	return s.ID, nil
}

func claim(name, role string) act {
	return func(p *place, w *workspace.Workspace) error {
		cur, err := w.Session(p.Context())
		if err != nil {
			return err
		}
		_, found, err := task.Next(p.Context(), cur, name, []string{role}, false)
		if err == nil && !found {
			err = errors.New("no task waits")
		}
		return err
	}
}

func skill() tree.Edit {
	return tree.Edit{Path: "skills/clove-hitch/SKILL.md", Content: []byte("---\nname: clove-hitch\ndescription: Ties a clove hitch. Use when a clove hitch is wanted.\n---\n# Tie\n\nTie it.\n")}
}

func deliver(name, job string, sure bool, edits ...tree.Edit) act {
	return func(p *place, w *workspace.Workspace) error {
		cur, err := w.Session(p.Context())
		if err != nil {
			return err
		}
		t, err := task.Find(p.Context(), cur, p.run(w).ID, job)
		if err != nil {
			return err
		}
		result := run.Result{V: 1, Outcome: "success"}
		if sure {
			result.Confidence = 1
		}
		out, err := task.Deliver(p.Context(), cur, t, task.Delivery{By: name, Source: "r.json", Edits: edits, Result: result})
		if err == nil && out.Diagnostics.HasErrors() {
			err = fmt.Errorf("%v", out.Diagnostics)
		}
		if err != nil {
			return err
		}
		_, err = task.Advance(p.Context(), w, t.Run.ID)
		return err
	}
}

// told lists the records of a run's journal, without times.
func (p *place) told(w *workspace.Workspace) []string {
	p.Helper()
	rs, err := w.Runs.Records(p.run(w).ID)
	p.OK(err)
	var out []string
	for _, r := range rs {
		if r.Kind != run.Claimed { // asking again renews a lease
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", r.Kind, r.Job, r.Attempt, r.By)))
		}
	}
	return out
}

// made lists the commits of the run's proposal that change files by people or agents.
func (p *place) made(w *workspace.Workspace) []string {
	p.Helper()
	s := p.run(w)
	pull, err := w.Forge.Get(p.Context(), s.ID)
	if errors.Is(err, forge.ErrNotFound) {
		return nil
	}
	p.OK(err)
	main, err := w.Repo.Ref("refs/heads/main")
	p.OK(err)
	commits, err := w.Repo.Between(main, pull.Head)
	p.OK(err)
	var out []string
	for _, o := range commits {
		c, err := w.Repo.Commit(o.Hash)
		p.OK(err)
		out = append(out, c.Author.Name)
	}
	return out
}

// If a process is killed at any disk operation, repeating the command leads to the same
// result: no step is lost or recorded twice.
func TestKilledAnywhere(t *testing.T) {
	p := begin(t)
	for _, command := range []struct {
		name string
		act  act
	}{
		{"start", start},
		{"claim", claim("smith", "developer")},
		{"deliver", deliver("smith", "build", true, skill())},
		{"last task", deliver("scout", "look", false)},
	} {
		t.Run(command.name, func(t *testing.T) {
			whole := p.copied(t)
			disk := &disktest.Disk{}
			w, err := whole.on(disk)
			whole.OK(err)
			whole.OK(command.act(whole, w))
			want, commits := whole.told(w), whole.made(w)
			ops := len(disk.Ops())
			if ops == 0 {
				t.Fatal("nothing was written")
			}
			step := 1 // syncing takes its time: by default some forty places, others each time
			if !*every {
				step = 1 + ops/40
			}
			for n := 1 + mathrand.IntN(step); n <= ops; n += step {
				q := p.copied(t)
				if dead, err := q.on(&disktest.Disk{DieAt: n}); err == nil {
					_ = command.act(q, dead) // the process is dead; its result is ignored
				}
				q.Unlock()
				w, err := q.on(nil)
				q.OK(err)
				if err := command.act(q, w); err != nil {
					t.Fatalf("killed at %d of %d, and again: %v", n, ops, err)
				}
				if got := q.told(w); !slices.Equal(got, want) {
					t.Errorf("killed at %d of %d: %q, want %q", n, ops, got, want)
				}
				if got := q.made(w); !slices.Equal(got, commits) {
					t.Errorf("killed at %d of %d: commits by %q, want %q", n, ops, got, commits)
				}
				if _, err := w.Runs.Read(q.run(w).ID); err != nil {
					t.Error(err)
				}
			}
			t.Logf("%d kills", ops)
		})
		p.does(command.act)
	}
	w, err := p.on(nil)
	p.OK(err)
	if s := p.run(w); s.Outcome != run.Completed {
		t.Errorf("the run is %q: %s", s.Outcome, s.Reason)
	}
}

// Of processes that start a workflow at once, each gets a run of its own, unless they are about one capability.
func TestStartedAtOnce(t *testing.T) {
	p := beginWith(t, "name: braid\non: {command: braid}\ninputs: {word: {}, capability: {form: name}}\njobs:\n  look: {agent: analyst, task: templates/a.md}\n")
	together := func(inputs func(i int) map[string]string) (ids map[string]bool, open int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		ids = map[string]bool{}
		for i := range 6 {
			all.Go(func() {
				w, err := p.on(nil)
				p.OK(err)
				cur, err := w.Session(p.Context())
				p.OK(err)
				flows, err := task.Workflows(cur)
				p.OK(err)
				s, diags, err := task.Start(p.Context(), cur, task.Beginning{Workflow: flows[0], Event: "command", By: "ada", Inputs: inputs(i)})
				mu.Lock()
				defer mu.Unlock()
				if already := new(task.Open); errors.As(err, &already) {
					open++
				} else if err != nil || diags.HasErrors() {
					t.Error(err, diags)
				} else {
					ids[s.ID] = true
				}
			})
		}
		all.Wait()
		return ids, open
	}
	if ids, open := together(func(i int) map[string]string { return map[string]string{"word": strconv.Itoa(i)} }); len(ids) != 6 || open > 0 {
		t.Errorf("%d runs, and %d refused", len(ids), open)
	}
	if ids, open := together(func(int) map[string]string { return map[string]string{"capability": "knots"} }); len(ids) != 1 || open != 5 {
		t.Errorf("about one capability: %d runs, and %d refused", len(ids), open)
	}
}

// Of any number of processes at once, one starts the run, one gets each task, and each
// step is in the journal once.
func TestSideBySide(t *testing.T) {
	p := begin(t)
	together := func(n int, a func(i int) act) (succeeded int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for i := range n {
			all.Go(func() {
				w, err := p.on(nil)
				if err == nil {
					err = a(i)(p, w)
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
	agents := []string{"scout", "smith"}
	together(6, func(int) act { return start })
	if n := together(6, func(i int) act { return claim(agents[i%2], "developer") }); n == 0 || n > 3 {
		t.Errorf("%d of 6 have the task of one", n)
	}
	if n := together(6, func(i int) act { return deliver(agents[i%2], "build", true, skill()) }); n == 0 || n > 3 {
		t.Errorf("%d of 6 handed in", n)
	}
	together(6, func(i int) act { return deliver(agents[i%2], "look", false) })
	w, err := p.on(nil)
	p.OK(err)
	seen := map[string]int{}
	for _, line := range p.told(w) {
		step := strings.Join(strings.Fields(line)[:2], " ")
		if seen[step]++; seen[step] > 1 {
			t.Errorf("twice: %s", line)
		}
	}
	if s := p.run(w); s.Outcome != run.Completed || len(p.made(w)) == 0 {
		t.Errorf("the run is %q: %s", s.Outcome, s.Reason)
	}
}

// Time takes effect as the workflow says: reminders, expired leases, failed attempts, and
// the gate, which costs an attempt.
func TestTime(t *testing.T) {
	p := begin(t)
	p.does(start)
	advance := func(after time.Duration) run.State {
		t.Helper()
		p.Clock = p.Clock.Add(after)
		w, err := p.on(nil)
		p.OK(err)
		out, err := task.Advance(t.Context(), w, p.run(w).ID)
		p.OK(err)
		return out.State
	}
	p.does(claim("smith", "developer"))
	w, err := p.on(nil)
	p.OK(err)
	if err := claim("scout", "developer")(p, w); err == nil {
		t.Error("two have one task")
	}
	advance(time.Hour) // the lease ends
	p.does(claim("scout", "developer"))
	if err := deliver("smith", "build", true, skill())(p, w); !errors.Is(err, task.ErrTaken) {
		t.Errorf("who lost the lease: %v", err)
	}
	p.does(deliver("scout", "build", false, skill()))
	if j := advance(0).Jobs["build"]; j.Attempt != 2 || j.Status != run.Waiting || !strings.Contains(j.Reason, "gate") {
		t.Errorf("after the gate: %+v", j)
	}
	p.does(deliver("scout", "build", true, skill()))
	if j := advance(24 * time.Hour).Jobs["look"]; j.Reminders != 1 {
		t.Errorf("after a day: %+v", j)
	}
	if j := advance(0).Jobs["look"]; j.Reminders != 1 {
		t.Errorf("reminded twice: %+v", j)
	}
	if s := advance(48 * time.Hour); s.Outcome != run.Broke || s.Reason != "look: not done within 3 days" {
		t.Errorf("after three days: %q, %q", s.Outcome, s.Reason)
	}
	if err := deliver("scout", "look", false)(p, w); !errors.Is(err, task.ErrOver) {
		t.Errorf("after the end: %v", err)
	}

}
