package task

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// Workers run scripts side by side, up to a number. Each script gets a workspace that was opened
// for it.
type Workers struct {
	open  func(context.Context) (*workspace.Workspace, func(), error)
	turns chan struct{}
	// report is told when a script begins, and when it ended; nil if results are waited for.
	report func(Advanced, error)
	ctx    context.Context //nolint:containedctx // of all scripts: they outlive the call that starts them
	stop   context.CancelFunc
	all    sync.WaitGroup

	// hub serialises steps that the remote records. Of two concurrent pushes to one run, the second would be rejected
	// and retried.
	hub chan struct{}

	// acting is held by the call of Beside that acts.
	acting sync.Mutex

	mu sync.Mutex
	at map[string]bool // RUN/JOB
	// flows are the workflows in force at inForce, journals the events that were read: scripts of one
	// run need the same again and again.
	inForce  tree.Hash
	flows    []workflow.Workflow
	journals runlog.Memory
}

// definitions are DefinitionsOf, read once for each commit in force.
func (ws *Workers) definitions(cur workspace.Session) (*Definitions, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.flows == nil || ws.inForce != cur.InForce {
		all, err := Workflows(cur)
		if err != nil {
			return nil, err
		}
		ws.inForce, ws.flows = cur.InForce, all
	}
	return DefinitionsAmong(cur, ws.flows), nil
}

// remembering returns a workspace that reads only what is new of journals.
func (ws *Workers) remembering(w *workspace.Workspace) *workspace.Workspace {
	own := *w // which others may use, too
	own.Runs = w.Runs.Remembering(&ws.journals)
	return &own
}

// mostJobs is more than a run has, so that no script waits until its result is taken.
const mostJobs = 256

// result is the end of a script that was waited for.
type result struct {
	job string
	Advanced
	err error
}

// DefaultWorkers is the number of scripts that run side by side unless another is given.
func DefaultWorkers() int { return min(max(runtime.NumCPU(), 2), 8) }

// NewWorkers makes workers that go on with runs beside the passes until they are stopped. report is
// called when a script begins, with that record alone, and after each script, with the end of its run if that follows, from any goroutine.
func NewWorkers(number int, open func(context.Context) (*workspace.Workspace, func(), error), report func(Advanced, error)) *Workers {
	return newWorkers(context.Background(), number, open, report)
}

func newWorkers(ctx context.Context, number int, open func(context.Context) (*workspace.Workspace, func(), error), report func(Advanced, error)) *Workers {
	ctx, stop := context.WithCancel(ctx)
	return &Workers{open: open, turns: make(chan struct{}, number), report: report, ctx: ctx, stop: stop, hub: make(chan struct{}, 1), at: map[string]bool{}}
}

// Stop ends all scripts, whose jobs are free at once, and waits for that. Under the lock, begin adds
// none that Wait would miss.
func (ws *Workers) Stop() {
	ws.mu.Lock()
	ws.stop()
	ws.mu.Unlock()
	ws.all.Wait()
}

// Beside calls f with each number below n and waits for that. One call acts at a time, and they begin in
// order. While one waits for scripts that it began, others act, so that the scripts of several runs go on
// side by side.
func (ws *Workers) Beside(n int, f func(int)) {
	var all sync.WaitGroup
	for i := range n {
		ws.acting.Lock()
		all.Go(func() {
			defer ws.acting.Unlock()
			f(i)
		})
	}
	all.Wait()
}

// begin queues a script, unless it is queued or runs here already; known is false if the workers were
// stopped. done takes its result if no one is told of it by report.
func (ws *Workers) begin(id, job string, done chan<- result) (known bool) {
	key := id + "/" + job
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.at[key] || ws.ctx.Err() != nil {
		return ws.at[key]
	}
	ws.at[key] = true
	ws.all.Go(func() {
		out, err := ws.turn(id, job)
		ws.mu.Lock()
		delete(ws.at, key)
		ws.mu.Unlock()
		if ws.report == nil {
			done <- result{job, out, err}
			return
		}
		if err == nil && out.Waits == "" && ws.ctx.Err() == nil { // one that waits here is tried again by the next pass
			var after Advanced
			after, err = ws.goOn(id)
			out.Flow = after.Flow
			out.Steps = append(out.Steps, slices.DeleteFunc(after.Steps, func(r run.Record) bool { return r.Kind != run.Ended })...)
		}
		out.Steps = slices.DeleteFunc(out.Steps, func(r run.Record) bool { return r.Kind == run.Begun }) // reported before
		ws.report(out, err)
	})
	return true
}

// turn waits for a turn and runs a script, if it is still due.
func (ws *Workers) turn(id, job string) (out Advanced, err error) {
	out.ID, out.hub = id, ws.hub // the ID is for the report of an error
	if ws.report != nil {
		out.begun = func(r run.Record) { ws.report(Advanced{State: run.State{ID: id}, Steps: []run.Record{r}}, nil) }
	}
	select {
	case <-ws.ctx.Done():
		return out, nil
	case ws.turns <- struct{}{}:
	}
	defer func() { <-ws.turns }()
	w, done, err := ws.open(ws.ctx)
	if err != nil {
		return out, err
	}
	defer done()
	w = ws.remembering(w)
	cur, err := w.Session(ws.ctx)
	if err != nil {
		return out, err
	}
	if out.State, err = w.Runs.Read(id); err != nil {
		return out, err
	}
	def, next, _, err := ws.due(ws.ctx, cur, out.State, nil)
	if err != nil || next.Action != run.Script {
		return out, err
	}
	for _, j := range run.Scripts(def.Workflow, out.State, cur.Now()) {
		if j.Name == job {
			_, err = out.script(ws.ctx, cur, def, j)
		}
	}
	return out, err
}

// goOn begins the scripts that are due after another one.
func (ws *Workers) goOn(id string) (Advanced, error) {
	w, done, err := ws.open(ws.ctx)
	if err != nil {
		return Advanced{}, err
	}
	defer done()
	return advance(ws.ctx, w, id, ws, true)
}

// Within are workers for one pass or call, which waits for them.
func Within(ctx context.Context, w *workspace.Workspace) *Workers {
	number := w.Workers
	if number == 0 {
		number = DefaultWorkers()
	}
	return newWorkers(ctx, number, func(ctx context.Context) (*workspace.Workspace, func(), error) {
		if w.Again == nil {
			return w, func() {}, nil
		}
		again, done, err := w.Again(ctx)
		if there := w.Forge.Traits().Remote; err == nil && there != "" {
			exchange.Through(again, there)
		}
		return again, done, err
	}, nil)
}

// waiting are the jobs of a run whose scripts were begun and have not been waited for.
type waiting struct {
	*Workers
	jobs []string
	done chan result
}

func waitingFor(ws *Workers) (p waiting) {
	p.Workers = ws
	if ws.report == nil {
		p.done = make(chan result, mostJobs)
	}
	return p
}

// start begins a script. If the workers were stopped, so was the call.
func (p *waiting) start(id, job string) {
	if p.begin(id, job, p.done) {
		p.jobs = append(p.jobs, job)
	}
}

// next waits for one script, while other runs go on; ok is false if none is under way.
func (p *waiting) next() (r result, ok bool) {
	if p.report != nil || len(p.jobs) == 0 {
		return r, false
	}
	p.acting.Unlock()
	r = <-p.done
	p.acting.Lock()
	p.jobs = slices.DeleteFunc(p.jobs, func(j string) bool { return j == r.job })
	return r, true
}

// rest waits for all scripts.
func (p *waiting) rest() {
	for ok := true; ok; {
		_, ok = p.next()
	}
}
