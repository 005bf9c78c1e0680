package task_test

import (
	"errors"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// A run is followed to its end while another process, which may be of another machine, runs its script.
func TestFollow(t *testing.T) {
	p := beginWith(t, "name: braid\non: {command: braid}\ninputs: {capability: {form: name}, goal: {}}\njobs:\n  look: {run: 'true'}\n")
	for _, r := range []run.Record{{Kind: run.Done}, {Kind: run.Failed, Outcome: run.Broke, Reason: "exit 1"}} {
		w, err := p.on(nil)
		p.OK(err)
		id, err := beginRun(p, w)
		p.OK(err)
		say := func(r run.Record) {
			r.V, r.Job, r.Attempt = run.Version, "look", 1
			_, err := w.Runs.Append(t.Context(), id, "assent", p.Clock, func(run.State) (*run.Record, error) { return &r, nil })
			p.OK(err)
		}
		say(run.Record{Kind: run.Begun, Token: "0123456789abcdef0123456789abcdef", Until: p.Clock.Add(time.Minute)})
		looks := 0
		out, err := task.Follow(t.Context(), w, id, func() error {
			if looks++; looks == 2 {
				say(r)
			}
			return nil
		})
		p.OK(err)
		if want := map[run.Kind]run.Outcome{run.Done: run.Completed, run.Failed: run.Broke}[r.Kind]; out.Outcome != want || looks != 2 {
			t.Errorf("%s: followed to %q after %d looks", r.Kind, out.Outcome, looks)
		}
	}
	w, err := p.on(nil)
	p.OK(err)
	id, err := beginRun(p, w)
	p.OK(err)
	away := errors.New("away")
	_, err = w.Runs.Append(t.Context(), id, "assent", p.Clock, func(run.State) (*run.Record, error) {
		return &run.Record{V: run.Version, Kind: run.Begun, Job: "look", Attempt: 1, Token: "0123456789abcdef0123456789abcdef", Until: p.Clock.Add(time.Minute)}, nil
	})
	p.OK(err)
	if out, err := task.Follow(t.Context(), w, id, func() error { return away }); !errors.Is(err, away) || out.Outcome != "" {
		t.Errorf("an error of the pause: %v, %q", err, out.Outcome)
	}
	p.Clock = p.Clock.Add(2 * time.Minute)
	s, err := w.Runs.Read(id)
	p.OK(err)
	if task.Stalled(w, s.Jobs["look"]) == "" {
		t.Error("a lease that expired counts as held")
	}
}
