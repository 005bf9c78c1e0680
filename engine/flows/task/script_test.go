package task_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/git/gitstore/disktest"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// isolated makes a workspace whose only workflow is flow, and gives its processes the
// sandbox; without one the test is skipped.
func isolated(t *testing.T, flow string) *place {
	t.Helper()
	box, err := sandbox.New(t.Context())
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		t.Skip(no)
	}
	p := beginWith(t, flow)
	p.OK(err)
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return box, nil }
	p.Given.Secret = func(_ workspace.Session, name string) (string, bool, error) {
		return "sesame-opens", name == "KNOWN", nil
	}
	return p
}

const scripted = "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs:\n  look: {timeout: 10s, run: \"echo tied\"}\n  tell: {uses: notify, needs: look, message: It is tied.}\n"

// If a process is killed at any disk operation, the run still ends once. A script that
// began without a recorded outcome begins again, but not before its deadline.
func TestScriptKilledAnywhere(t *testing.T) {
	p := isolated(t, scripted)
	whole := p.copied(t)
	disk := &disktest.Disk{}
	w, err := whole.on(disk)
	whole.OK(err)
	whole.OK(start(whole, w))
	want := whole.told(w)
	if !slices.Equal(want, []string{"started  0 scout", "begun look 1 assent", "done look 1 assent", "done tell 0 assent", "ended  0 assent"}) {
		t.Fatalf("%q", want)
	}
	ops := len(disk.Ops())
	again := 0
	for n := 1; n <= ops; n += 1 + ops/12 {
		q := p.copied(t)
		if dead, err := q.on(&disktest.Disk{DieAt: n}); err == nil {
			_ = start(q, dead) // the process is dead; its result is ignored
		}
		q.Unlock()
		w, err := q.on(nil)
		q.OK(err)
		q.OK(start(q, w))
		if s := q.run(w); s.Outcome == "" {
			if s.Jobs["look"].Status != run.Running || s.Jobs["look"].Attempt != 1 {
				t.Errorf("killed at %d of %d: %+v", n, ops, s.Jobs)
			}
			again++
			q.Clock = s.Jobs["look"].Until
			_, err = task.Advance(t.Context(), w, s.ID)
			q.OK(err)
		}
		got := slices.DeleteFunc(q.told(w), func(line string) bool { return line == "begun look 2 assent" || line == "lost look 1 assent" })
		for i := range got {
			got[i] = strings.Replace(got[i], "done look 2", "done look 1", 1)
		}
		if !slices.Equal(got, want) {
			t.Errorf("killed at %d of %d: %q", n, ops, got)
		}
	}
	if again == 0 {
		t.Errorf("of %d kills, none hit the script", ops)
	}
}

// Of several processes at once, one begins the script.
func TestScriptSideBySide(t *testing.T) {
	p := isolated(t, scripted)
	w, err := p.on(nil)
	p.OK(err)
	id, err := beginRun(p, w) // a process that begins after its end would begin another run
	p.OK(err)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			w, err := p.on(nil)
			if err == nil {
				_, err = task.Advance(t.Context(), w, id)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, err = task.Advance(t.Context(), w, id)
	p.OK(err)
	begun := 0
	for _, line := range p.told(w) {
		if strings.HasPrefix(line, "begun") {
			begun++
		}
	}
	if s := p.run(w); s.Outcome != run.Completed || begun != 1 {
		t.Errorf("%q, begun %d times", s.Outcome, begun)
	}
}

// A script that begins and never ends is given up.
func TestScriptLost(t *testing.T) {
	p := isolated(t, scripted)
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return dying{}, nil }
	for i := range 3 {
		w, err := p.on(nil)
		p.OK(err)
		if err := start(p, w); err == nil {
			t.Fatalf("%d: the script ended", i)
		}
		cur, err := w.Runs.Read(p.run(w).ID)
		p.OK(err)
		if j := cur.Jobs["look"]; j.Attempt != i+1 || j.Losses != i+1 || (cur.Outcome == "") != (i < 2) {
			t.Fatalf("%+v", j)
		}
	}
	w, err := p.on(nil)
	p.OK(err)
	if s := p.run(w); s.Outcome != run.Broke || !strings.Contains(s.Reason, "3 of 3 starts ended without a result; the last: it could not be run to its end") {
		t.Errorf("%q: %s", s.Outcome, s.Reason)
	}
}

// A script whose process is told to stop begins again, also after the third time.
func TestScriptStoppedInOrder(t *testing.T) {
	p := isolated(t, scripted)
	w, err := p.on(nil)
	p.OK(err)
	id, err := beginRun(p, w)
	p.OK(err)
	for i := range 4 {
		ctx, stop := context.WithCancel(t.Context())
		p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return stopped{stop: stop}, nil }
		w, err := p.on(nil)
		p.OK(err)
		_, _ = task.Advance(ctx, w, id) // it was stopped
		if s, err := w.Runs.Read(id); err != nil || s.Outcome != "" || s.Jobs["look"].Attempt != i+1 || s.Jobs["look"].Stops != i+1 || s.Jobs["look"].Losses != 0 {
			t.Fatalf("%q, %+v", s.Outcome, s.Jobs["look"])
		}
	}
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return counter{runs: &atomic.Int32{}}, nil }
	w, err = p.on(nil)
	p.OK(err)
	if out, err := task.Advance(t.Context(), w, id); err != nil || out.Outcome != run.Completed {
		t.Errorf("%q, %v", out.Outcome, err)
	}
}

// stopped is a sandbox in which each script ends because its process is told to stop.
type stopped struct {
	sandbox.Runner
	stop func()
}

func (stopped) Protects() bool { return true }

func (s stopped) Run(ctx context.Context, _ sandbox.Spec) (sandbox.Result, error) {
	s.stop()
	<-ctx.Done()
	return sandbox.Result{}, ctx.Err()
}

// dying is a sandbox that always fails.
type dying struct{ sandbox.Runner }

func (dying) Protects() bool { return true }

func (dying) Run(context.Context, sandbox.Spec) (sandbox.Result, error) {
	return sandbox.Result{}, errors.New("the power went")
}

// naked protects from nothing, and runs nothing.
type naked struct{ sandbox.Runner }

func (naked) Protects() bool { return false }

// Without a sandbox, and without a secret, the script waits, and nothing of it has begun.
func TestScriptWaits(t *testing.T) {
	for name, c := range map[string]struct {
		runner sandbox.Runner
		err    error
		want   string
	}{
		"none":         {nil, &sandbox.Refusal{Why: "bubblewrap is not installed", Fix: "install it"}, "nothing runs without a sandbox: bubblewrap is not installed; install it"},
		"unprotecting": {naked{}, nil, "nothing runs without a sandbox, whatever security.yaml says"},
		"secret":       {dying{}, nil, "it needs the secret UNKNOWN, which is not set up here"},
	} {
		t.Run(name, func(t *testing.T) {
			p := beginWith(t, strings.Replace(scripted, "timeout: 10s", "timeout: 10s, secrets: [UNKNOWN]", 1))
			p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return c.runner, c.err }
			p.does(start)
			w, err := p.on(nil)
			p.OK(err)
			out, err := task.Advance(t.Context(), w, p.run(w).ID)
			p.OK(err)
			if !strings.Contains(out.Waits, c.want) || len(out.Jobs) != 0 {
				t.Errorf("%q, %+v", out.Waits, out.Jobs)
			}
		})
	}
}

// A waiting script delays only jobs that need it: the others are done, including the merge.
func TestScriptWaitsAlone(t *testing.T) {
	p := beginWith(t, `name: braid
on: {proposal.opened: true}
jobs:
  look: {run: "true"}
  check: {uses: validate}
  bring: {uses: merge, needs: check}
  tell: {uses: notify, needs: bring, message: It is in force.}
  last: {uses: notify, needs: look, message: It was looked at.}
`)
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return naked{}, nil }
	w, err := p.on(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	opened, err := propose.Open(t.Context(), w, propose.Request{Edits: []tree.Edit{skill()}, By: forge.Actor{Name: "scout"}, Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: p.Clock}})
	p.OK(err)
	flows, err := task.Workflows(cur)
	p.OK(err)
	s, _, err := task.Begin(t.Context(), w, task.Beginning{Workflow: flows[0], Event: "proposal.opened", By: "assent", About: opened.Pull.ID})
	p.OK(err)
	out, err := task.Advance(t.Context(), w, s.ID)
	p.OK(err)
	if out.Jobs["check"].Status != run.Did || !strings.Contains(out.Waits, "look does not run here: ") || !strings.Contains(out.Waits, "; ") {
		t.Errorf("before the approval: %+v, waits for %q", out.Jobs, out.Waits)
	}
	_, err = approve.Run(t.Context(), w, approve.Decision{Proposal: opened.Pull.ID, Decision: review.Approve, Reason: "test", Signer: p.Ada})
	p.OK(err)
	out, err = task.Advance(t.Context(), w, s.ID)
	p.OK(err)
	if out.Jobs["tell"].Status != run.Did || out.Jobs["last"].Status != "" || out.Outcome != "" || !strings.HasPrefix(out.Waits, "look does not run here: ") || strings.Contains(out.Waits, "; ") {
		t.Errorf("after the approval: %+v, %q, waits for %q", out.Jobs, out.Outcome, out.Waits)
	}
}

// A script about a proposal sees what main would become, with the paths that differ.
func TestScriptSees(t *testing.T) {
	p := isolated(t, `name: braid
on: {proposal.opened: true}
jobs:
  look:
    run: |
      cat
      test -f skills/clove-hitch/SKILL.md && test ! -e "$HOME/.gitconfig"
      test ! -w /code && touch "$HOME/note"
      if printenv KNOWN; then exit 9; fi
      echo "$ASSENT_PROPOSAL $ASSENT_COMMIT"
`)
	w, err := p.on(nil)
	p.OK(err)
	cur, err := w.Session(t.Context())
	p.OK(err)
	out, err := propose.Open(t.Context(), w, propose.Request{Edits: []tree.Edit{skill()}, By: forge.Actor{Name: "scout"}, Author: gitstore.Person{Name: "scout", Email: "scout@agents.invalid", When: p.Clock}})
	p.OK(err)
	flows, err := task.Workflows(cur)
	p.OK(err)
	s, _, err := task.Begin(t.Context(), w, task.Beginning{Workflow: flows[0], Event: "proposal.opened", By: "assent", About: out.Pull.ID})
	p.OK(err)
	done, err := task.Advance(t.Context(), w, s.ID)
	p.OK(err)
	pull, err := w.Forge.Get(t.Context(), out.Pull.ID)
	p.OK(err)
	look := done.Jobs["look"]
	if look.Status != run.Did || !strings.Contains(look.Output.Stdout, "skills/clove-hitch/SKILL.md\n") || !strings.HasSuffix(look.Output.Stdout, pull.ID+" "+pull.Head.String()+"\n") {
		t.Errorf("%s %s: %+v", look.Status, look.Reason, look.Output)
	}
}
