package work

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/canonical"
	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/flows/task"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/home"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// Worker does tasks by a command. Several may work at once, in one process or in many.
type Worker struct {
	// Open opens the workspace for one step of a task; the function closes it.
	Open func(context.Context) (*workspace.Workspace, func(), error)
	// Share returns the workspace in a form that records each step on a remote first; nil records them here only.
	Share func(context.Context, *workspace.Workspace) (*workspace.Workspace, error)
	// Name is the agent, and Roles are those whose tasks it does.
	Name  string
	Roles []string
	// Line is a command line for the user's shell.
	Line string
	// Tries is how often the command is asked for one attempt: again if its result was refused.
	Tries int
	// Brief writes a task for the command: for its standard input, and as JSON.
	Brief func(context.Context, *workspace.Workspace, task.Task) (text, data string, err error)
	// Usage reads what a run of the command wrote, and returns the tokens and the cost that it says.
	Usage func(io.Reader) (tokens int64, cost float64)
	// Skip reports whether a task is left to others for now.
	Skip func(task.Task) bool
	// Say reports progress.
	Say func(t task.Task, what string)
}

// Outcome is what became of a task.
type Outcome string

// The outcomes of a task.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // by the gate of the job
	Failed  Outcome = "failed"  // given up
	Lost    Outcome = "lost"    // it was cancelled, or another agent has it
)

// Report says how a task went.
type Report struct {
	Task    task.Task
	Outcome Outcome
	// Reason says why, unless it is done.
	Reason string
	// Tries is how often the command was asked.
	Tries int
	// Files were handed in; LeftOut were changed too, but the task does not take them.
	Files, LeftOut []string
	// Log is the file with the command's output.
	Log  string
	read int64 // how much of it was read for the usage
	// Took is the time from the claim to the end.
	Took time.Duration
	// Advanced is the run afterwards, if the task ended here, and Roles are those in force.
	Advanced task.Advanced
	Roles    policy.Roles
}

// open opens the workspace for steps that others shall see.
func (w Worker) open(ctx context.Context) (ws *workspace.Workspace, done func(), err error) {
	if ws, done, err = w.Open(ctx); err != nil || w.Share == nil {
		return ws, done, err
	}
	if ws, err = w.Share(ctx, ws); err != nil {
		done()
	}
	return ws, done, err
}

// Next does the first task that waits for the worker. found is false if none does; then
// task.ErrBarred says that one waits which the worker may not take. A task whose
// worker was killed is continued, by any worker of the same name on this machine at once, by others
// when its lease has ended.
func (w Worker) Next(ctx context.Context) (r Report, found bool, err error) {
	ws, done, err := w.open(ctx)
	if err != nil {
		return r, false, err
	}
	defer done()
	cur, err := ws.Session(ctx)
	if err != nil {
		return r, false, err
	}
	all, barred, err := task.Candidates(ctx, cur, w.Name, w.Roles)
	if err != nil {
		return r, false, err
	}
	store := home.At(filepath.Join(ws.Repo.CommonDir(), "assent"))
	once, stop := context.WithCancel(ctx)
	stop() // the lock of a task is tried once: another worker may hold it for hours
	for _, t := range all {
		if w.Skip(t) { // asked again for each: others work meanwhile
			continue
		}
		name, locked := t.Lock(), false
		err := store.Locked(once, name, func() error {
			locked = true
			defer func() { _ = store.Remove(name) }()
			t.State.Token = rand.Text()
			if t, err = task.Claim(ctx, ws, t, w.Name); err != nil {
				return err
			}
			found = true
			if r, err = w.do(ctx, cur, store, t); task.Gone(err) {
				r, err = w.leave(ctx, r, err)
			}
			return err
		})
		switch {
		case found, locked && !task.Gone(err):
			return r, found, err
		case !locked && !errors.Is(err, context.Canceled):
			return r, false, err
		}
	}
	return r, false, cmp.Or(ctx.Err(), barred)
}

// do does one task that the worker has claimed.
func (w Worker) do(ctx context.Context, cur workspace.Session, store home.Store, t task.Task) (r Report, err error) {
	r.Task, r.Roles = t, cur.Policies.Roles
	r.Task.Spent = &run.Spent{} // an end without it is one by hand
	began := time.Now()
	defer func() { r.Took = time.Since(began) }()
	view, conflict, err := shown(ctx, cur, t)
	if err != nil {
		return r, err
	}
	if conflict != "" {
		return w.end(ctx, r, conflict)
	}
	p, err := lay(view)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	text, data, err := w.Brief(ctx, cur.Workspace, t)
	if err != nil {
		return r, err
	}
	if err := errors.Join(p.put("task.md", text), p.put("task.json", data)); err != nil {
		return r, fmt.Errorf("write the task: %w", err)
	}
	output, err := w.log(store, t)
	if err != nil {
		return r, err
	}
	defer output.Close()
	r.Log = output.Name()
	c := Command{Line: w.Line, Dir: p.dir, Stdin: text, Env: []string{"ASSENT_AGENT=" + w.Name, "ASSENT_TASK=" + t.Name()}, Out: output}
	inside, stop := context.WithDeadlineCause(ctx, t.State.Asked.Add(t.Job.Timeout), errLate)
	defer stop()
	inside, lose := context.WithCancelCause(inside)
	defer lose(nil)
	go w.keep(inside, t, lose)
	return w.tried(ctx, inside, r, p, c)
}

// errLate is the end of a command that took longer than the task may, errLost that of a task which
// is the worker's no more.
var (
	errLate = errors.New("it took longer than the task may")
	errLost = errors.New("the task was cancelled, or another agent has it")
)

// tried asks the command until its result is taken, at most w.Tries times.
func (w Worker) tried(ctx, inside context.Context, r Report, p place, c Command) (Report, error) {
	text := c.Stdin
	for r.Tries = 1; ; r.Tries++ {
		began := time.Now()
		kept := NewLog(c.Out, MaxLog)
		once := c
		once.Out, once.Err = kept, kept
		why, err := once.Run(inside)
		if bad := kept.End(); err == nil {
			err = bad
		}
		w.spend(&r, time.Since(began))
		switch {
		case errors.Is(err, errLate):
			return w.end(ctx, r, errLate.Error())
		case errors.Is(err, errLost):
			r.Outcome, r.Reason = Lost, errLost.Error()
			return r, nil
		case err != nil:
			return r, err
		case why != "":
			return w.end(ctx, r, why)
		}
		ds, err := w.handIn(ctx, &r, p)
		if err != nil || r.Outcome != "" {
			return r, err
		}
		faults, errs := said(ds)
		if r.Tries == w.Tries {
			return w.end(ctx, r, fmt.Sprintf("its result was refused at try %d: %s", r.Tries, errs))
		}
		w.Say(r.Task, "asked again: "+errs)
		c.Stdin = text + "\nYour last result was refused, for these reasons. Mend the files and the result where they are:\n\n" + faults
	}
}

// handIn hands in what is in the folder. The findings are why it was not taken.
func (w Worker) handIn(ctx context.Context, r *Report, p place) (diag.List, error) {
	ws, done, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	cur, err := ws.Session(ctx)
	if err != nil {
		return nil, err
	}
	t, err := task.Find(ctx, cur, r.Task.Run.ID, r.Task.Job.Name)
	if err != nil {
		return nil, err
	}
	t.Spent = r.Task.Spent
	given, err := p.answer("failed.md", maxReason)
	if reason := strings.TrimSpace(string(given)); err == nil && reason != "" {
		*r, err = w.end(ctx, *r, reason[:min(len(reason), maxReason)])
		return nil, err
	}
	d := task.Delivery{By: w.Name, Source: Dir + "/result.json"}
	deliver, may := run.Patterns(t.Flow, t.Run, t.Job)
	var ds diag.List
	d.Edits, r.LeftOut, ds, err = p.changed(append(deliver, may...), cur.Policies.Limits.FileBytes)
	if err != nil {
		return nil, err
	}
	src, err := p.answer("result.json", run.MaxResult)
	switch {
	case errors.Is(err, errSpecial):
		*r, err = w.end(ctx, *r, err.Error())
		return nil, err
	case err != nil:
		return nil, err
	case src == nil && len(d.Edits) == 0:
		*r, err = w.end(ctx, *r, "the command left neither files of the task nor "+d.Source)
		return nil, err
	case src == nil:
		src = []byte(`{"v": 1, "outcome": "success"}`) // the files are the answer
	}
	d.Digest = canonical.Digest(src)
	var faults diag.List
	d.Result, faults = run.ParseResult(d.Source, src)
	if ds.Add(faults...); ds.HasErrors() {
		unread := func(d diag.Diagnostic) bool { return d.Pos.Line > 0 } // where the JSON is wrong; what it answers is not known
		if !slices.ContainsFunc(faults, unread) {
			ds.Add(d.Result.Answers(d.Source, t.Job, t.Run.ID, w.Name)...)
		}
		return ds, nil
	}
	out, err := task.Deliver(ctx, cur, t, d)
	switch {
	case err != nil:
		return nil, err
	case out.Diagnostics.HasErrors():
		return out.Diagnostics, nil
	}
	for _, e := range d.Edits {
		r.Files = append(r.Files, e.Path)
	}
	if r.Outcome = Done; out.Refused != "" {
		r.Outcome, r.Reason = Refused, out.Refused
	}
	r.Advanced, err = task.Advance(ctx, cur.Workspace, t.Run.ID)
	return nil, err
}

// maxReason bounds why a task was given up, in bytes.
const maxReason = 2000

// end gives the task up.
func (w Worker) end(ctx context.Context, r Report, reason string) (Report, error) {
	r.Outcome, r.Reason = Failed, reason
	ws, done, err := w.open(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	cur, err := ws.Session(ctx)
	if err != nil {
		return r, err
	}
	if _, err = task.Fail(ctx, cur, r.Task, w.Name, reason); err == nil {
		r.Advanced, err = task.Advance(ctx, ws, r.Task.Run.ID)
	}
	return r, err
}

// leave gives up a task that ended or changed while the command worked on it: what the command used is recorded
// if the run still goes on, and the run ends if its proposal has.
func (w Worker) leave(ctx context.Context, r Report, why error) (Report, error) {
	if r.Outcome == Done || r.Outcome == Refused { // and recorded
		return r, nil
	}
	r, err := w.end(ctx, r, why.Error())
	if r.Outcome = Lost; task.Gone(err) {
		err = nil
	}
	return r, err
}

// keep renews the claim until ctx ends, and calls lose when the task is the worker's no more.
func (w Worker) keep(ctx context.Context, t task.Task, lose context.CancelCauseFunc) {
	renewal := time.NewTicker(min(t.Job.Lease/3, glance))
	defer renewal.Stop()
	due := time.Now().Add(t.Job.Lease / 3)
	for {
		select {
		case <-ctx.Done():
			return
		case <-renewal.C:
		}
		if held, err := w.renew(ctx, t, time.Now().After(due)); err == nil && !held {
			lose(errLost)
			return
		}
		if time.Now().After(due) {
			due = time.Now().Add(t.Job.Lease / 3)
		}
	}
}

// glance is how often a worker looks whether its task was cancelled.
const glance = 5 * time.Second

// renew reports whether the worker still has the task, and extends its claim if due.
func (w Worker) renew(ctx context.Context, t task.Task, due bool) (held bool, err error) {
	open := w.Open
	if due {
		open = w.open
	}
	ws, done, err := open(ctx)
	if err != nil {
		return true, err
	}
	defer done()
	if due {
		_, err := task.Claim(ctx, ws, t, w.Name)
		return !task.Gone(err), nil
	}
	s, err := ws.Runs.Read(t.Run.ID)
	j := s.Jobs[t.Job.Name]
	return s.Outcome == "" && j.Status == run.Waiting && j.Attempt == t.State.Attempt && j.Claimant == w.Name, err
}

// shown returns the tree that the command works on, without stopped capabilities: the result of merging
// the run's open proposal, or else the tree in force. If the proposal conflicts, view is nil and conflict
// says so.
func shown(ctx context.Context, cur workspace.Session, t task.Task) (view tree.View, conflict string, err error) {
	view = cur.View
	pull, err := task.PullOf(ctx, cur.Workspace, t.Run)
	if err != nil {
		return nil, "", err
	}
	if pull.State == forge.Open {
		result, err := cur.Result(cur.InForce, pull.Head)
		if err != nil {
			return nil, "", err
		}
		if len(result.Conflicts) > 0 {
			return nil, "main changed the same files: assent rebase " + names.ShellWord(pull.ID), nil
		}
		if view, err = cur.See(result.Tree); err != nil {
			return nil, "", err
		}
	}
	view, err = cur.Handout(ctx, view)
	return view, "", err
}

// said lists findings for the command, and returns the errors in one line, the first ones if they are many.
func said(ds diag.List) (all, errs string) {
	var b, line strings.Builder
	for _, d := range ds {
		text := d.Message
		if d.Fix != "" {
			text += " (" + d.Fix + ")"
		}
		fmt.Fprintf(&b, "- %s: %s\n", d.Pos, text)
		if d.Severity != diag.Error || line.Len() > maxReason/2 {
			continue
		}
		if line.Len() > 0 {
			line.WriteString("; ")
		}
		line.WriteString(strings.TrimPrefix(d.Pos.String()+": ", ": ") + text)
	}
	return b.String(), line.String()
}
