package task_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// BenchmarkScheduling runs 200 jobs of 0.2 to 2 s, of two runs, on 3 workers. Its ratio is the time that it
// took to that of list scheduling: each job in turn on the worker that is free first, at no cost.
func BenchmarkScheduling(b *testing.B) {
	box, err := sandbox.New(b.Context())
	if err != nil {
		b.Skip(err)
	}
	const workers, runs, each = 3, 2, 100
	dice := rand.New(rand.NewPCG(13, 20))
	var flows []tree.Edit
	var lengths []time.Duration
	first := ""
	for n := range runs {
		var text strings.Builder
		fmt.Fprintf(&text, "name: braid%d\non: {command: braid%d}\njobs:\n", n, n)
		for i := range each {
			length := time.Duration(200+dice.IntN(1801)) * time.Millisecond
			lengths = append(lengths, length)
			fmt.Fprintf(&text, "  j%02d: {run: sleep %.3f}\n", i, length.Seconds())
		}
		if n == 0 {
			first = text.String()
		} else {
			flows = append(flows, tree.Edit{Path: fmt.Sprintf("workflows/braid%d.yaml", n), Content: []byte(text.String())})
		}
	}
	var free [workers]time.Duration
	for _, length := range lengths {
		next := slices.Index(free[:], slices.Min(free[:]))
		free[next] += length
	}
	best := slices.Max(free[:])
	for b.Loop() {
		p := beginWith(b, first, flows...)
		p.Given.Sandbox = func(context.Context) (sandbox.Runner, error) { return box, nil }
		took := p.scheduled(workers, runs*each)
		b.ReportMetric(took.Seconds()/best.Seconds(), "ratio")
		b.ReportMetric(best.Seconds(), "best-s")
	}
}

// scheduled starts all workflows and returns how long it took until their scripts were done.
func (p *place) scheduled(workers, jobs int) time.Duration {
	p.Helper()
	w, err := p.on(nil)
	p.OK(err)
	cur, err := w.Session(p.Context())
	p.OK(err)
	all, err := task.Workflows(cur)
	p.OK(err)
	done, begun, mu := 0, map[string]bool{}, sync.Mutex{}
	ended := make(chan struct{})
	ws := task.NewWorkers(workers, func(context.Context) (*workspace.Workspace, func(), error) {
		w, err := p.on(nil)
		return w, func() {}, err
	}, func(out task.Advanced, err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range out.Steps {
			if r.Kind == run.Begun {
				begun[out.ID+r.Job] = true
				return
			}
			if r.Job != "" && !begun[out.ID+r.Job] { // the end of a run has no job
				p.Errorf("%s/%s ended, and its beginning was not reported", out.ID, r.Job)
			}
		}
		if err != nil {
			p.Error(err)
		}
		if done++; done == jobs {
			close(ended)
		}
	})
	defer ws.Stop()
	began := time.Now()
	for _, f := range all {
		s, _, err := task.Begin(p.Context(), w, task.Beginning{Workflow: f, Event: "command", By: "assent"})
		p.OK(err)
		_, err = task.AdvanceBy(p.Context(), w, s.ID, ws)
		p.OK(err)
	}
	select {
	case <-ended:
	case <-p.Context().Done():
	}
	return time.Since(began)
}
