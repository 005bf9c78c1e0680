package task_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// A lease that is renewed holds; one that is not is lost, and the attempt counts no more: neither
// its renewal nor its result.
func TestLease(t *testing.T) {
	p := beginWith(t, scripted)
	p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return naked{}, nil }
	p.does(start)
	w, err := p.on(nil)
	p.OK(err)
	id, token := p.run(w).ID, strings.Repeat("a", 32)
	add := func(r run.Record) (run.State, error) {
		return w.Runs.Append(t.Context(), id, "assent", p.Clock, func(run.State) (*run.Record, error) { r.V = run.Version; return &r, nil })
	}
	_, err = add(run.Record{Kind: run.Begun, Job: "look", Attempt: 1, Token: token, Until: p.Clock.Add(task.Lease)})
	p.OK(err)
	for range 3 {
		p.Clock = p.Clock.Add(task.Lease - time.Second)
		held, err := task.Renew(t.Context(), w, id, "look", 1, token)
		p.OK(err)
		_, err = task.Advance(t.Context(), w, id)
		p.OK(err)
		if j := p.run(w).Jobs["look"]; !held || j.Status != run.Running || !j.Until.Equal(p.Clock.Add(task.Lease)) {
			t.Fatalf("%v, %+v", held, j)
		}
	}
	if held, err := task.Renew(t.Context(), w, id, "look", 1, strings.Repeat("b", 32)); held || err != nil {
		t.Errorf("another process has the lease: %v", err)
	}
	p.Clock = p.Clock.Add(task.Lease)
	_, err = task.Advance(t.Context(), w, id)
	p.OK(err)
	s, err := w.Runs.Read(id)
	p.OK(err)
	if j := s.Jobs["look"]; j.Status != "" || j.Losses != 1 {
		t.Errorf("%+v", j)
	}
	if held, err := task.Renew(t.Context(), w, id, "look", 1, token); held || err != nil {
		t.Errorf("a lost lease is renewed: %v", err)
	}
	if _, err := add(run.Record{Kind: run.Done, Job: "look", Attempt: 1}); err == nil {
		t.Error("the result of a lost attempt is recorded")
	}
}
