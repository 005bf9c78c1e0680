package task_test

import (
	"context"
	"slices"
	"testing"

	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Workers report a script when it begins, and once more when it has ended, then with the end of its run.
func TestWorkersReport(t *testing.T) {
	p := isolated(t, scripted)
	w, err := p.on(nil)
	p.OK(err)
	id, err := beginRun(p, w)
	p.OK(err)
	reports := make(chan []run.Kind, 2)
	ws := task.NewWorkers(1, func(context.Context) (*workspace.Workspace, func(), error) {
		w, err := p.on(nil)
		return w, func() {}, err
	}, func(out task.Advanced, err error) {
		var kinds []run.Kind
		for _, r := range out.Steps {
			kinds = append(kinds, r.Kind)
		}
		if reports <- kinds; err != nil || out.ID != id {
			t.Errorf("a report about %q: %v", out.ID, err)
		}
	})
	defer ws.Stop()
	_, err = task.AdvanceBy(t.Context(), w, id, ws)
	p.OK(err)
	for _, want := range [][]run.Kind{{run.Begun}, {run.Done, run.Ended}} {
		if got := <-reports; !slices.Equal(got, want) {
			t.Errorf("reported %v instead of %v", got, want)
		}
	}
}
