package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/tools/script"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// script runs a job's script. It prepares the call, records the beginning and a lease, runs the
// script while it renews the lease, and records the outcome unless the attempt counts no more. If
// the process is killed in between, others of this machine see it at once, and other machines when
// the lease has ended; then the job begins again.
func (a *Advanced) script(ctx context.Context, cur workspace.Session, def Definition, j workflow.Job) (bool, error) {
	// A version that was replaced may have been replaced because it gave its secrets away, and
	// anyone who can write refs can start a run of it.
	//defence:replaced-workflows-get-no-secrets
	if def.Replaced && len(j.Script.Secrets) > 0 {
		return a.refuse(ctx, cur.Workspace, j, "the workflow was changed since the run began, and only the version in force gets secrets; start another run")
	}
	//defence:secrets-need-every-approval
	if why := unguarded(cur, def, a.State, j); why != "" {
		return a.refuse(ctx, cur.Workspace, j, why)
	}
	call, commit, err := a.call(ctx, cur, def, j)
	if errors.Is(err, ErrArtifact) {
		return a.refuse(ctx, cur.Workspace, j, err.Error())
	}
	if err != nil || a.Waits != "" {
		return false, err
	}
	// Files that no one approves decide nothing that a person or the gate relies on.
	//defence:scripts-that-count-see-what-is-governed
	call.Governed = len(j.Script.Secrets) > 0 || a.asked(cur, def)
	if a.forRunner(cur, def) && workspace.RunnerKey(cur) == nil {
		a.Waits = j.Name + " waits for an engine that has a key with the role runner: a required check is about it"
		return false, nil
	}
	ready, err := script.Prepare(ctx, call, cur.Sandbox, secretsOf(cur))
	var unable *script.Unable
	var refused *script.Refused
	switch {
	case errors.As(err, &unable):
		a.Waits = j.Name + " does not run here: " + unable.Why
		return false, nil
	case errors.As(err, &refused):
		return a.refuse(ctx, cur.Workspace, j, refused.Why)
	case err != nil:
		return false, err
	}
	sweep(cur.Workspace, time.Now())
	token, err := newToken(cur.Workspace)
	if err != nil {
		return false, err
	}
	went, w := false, a.startLog(cur, def, j)
	store, name := running(cur.Workspace, token)
	err = store.Locked(ctx, name, func() error {
		defer func() { _ = errors.Join(store.Remove(name), store.Remove(cancelled(token))) }() // it is unlocked only after that
		number, began, err := a.begin(ctx, w, j, token)
		if err != nil && w != cur.Workspace && ctx.Err() == nil {
			a.Waits = j.Name + " begins once the remote has recorded its start, so that only one clone runs it: " + err.Error()
			return nil
		}
		if went = began; err != nil || !began {
			return err
		}
		at := attempt{w: w, here: cur.Workspace, run: a.ID, job: j, number: number, token: token}
		over, err := spent(ctx, cur, def, at, number)
		if err != nil {
			return err
		}
		//defence:approvals-of-secrets-are-used-once
		if over {
			went, err = a.finish(ctx, at, run.Record{Kind: run.Failed, Outcome: run.Broke, Reason: "it ran here before, and its run's record was taken back: assent run retry asks again"})
			return err
		}
		went, err = a.ran(ctx, cur, def, at, ready, commit)
		return err
	})
	return went, err
}

// startLog returns the workspace in which the start of j is recorded: on the remote first, or only here.
func (a *Advanced) startLog(cur workspace.Session, def Definition, j workflow.Job) *workspace.Workspace {
	once := cur.Forge.Traits().Remote != ""
	// Anyone who can push can block the run's ref on the remote. A required check therefore starts without it, and may
	// run twice.
	//defence:the-hub-holds-up-no-check
	once = once && !a.asked(cur, def)
	if once || guarded(def, j) {
		return onHub(cur.Workspace, a.hub)
	}
	return cur.Workspace
}

// secretsOf returns the secrets of this machine for scripts of a workspace; nil if there are none.
func secretsOf(cur workspace.Session) func(string) (string, bool, error) {
	if cur.Secret == nil {
		return nil
	}
	return func(name string) (string, bool, error) { return cur.Secret(cur, name) }
}

// ran runs a script that was begun, and records how that ended.
func (a *Advanced) ran(ctx context.Context, cur workspace.Session, def Definition, at attempt, ready script.Ready, commit tree.Hash) (bool, error) {
	inside, stop := a.bounded(ctx, cur, def)
	defer stop()
	kept, released := make(chan struct{}), false
	release := func() { released = true; stop() }
	// A record that ends the run, or begins the script again, may be anyone's. It must not drop the
	// result of a required check, which is signed and needs no run.
	//defence:results-outlast-the-journal
	if a.asked(cur, def) {
		at.moot = a.moot(inside, cur, at.token)
	}
	go func() { defer close(kept); at.keep(inside, release) }()
	store, name := running(cur.Workspace, at.token)
	if file, err := store.OpenAppend(name); err == nil { // without it, its output comes with its result
		ready.Live = file
		defer file.Close()
	}
	out, made, why, err := ready.Run(inside)
	stop()
	<-kept
	r := run.Record{Kind: run.Done, Output: &out}
	var refused *script.Refused
	switch {
	case released: // the run was ended, its proposal changed, or another machine began the script again
		r.Kind, r.Outcome, r.Reason = run.Lost, run.Cancelled, "its run ended, its proposal changed, or another machine took over"
	case err != nil && errors.Is(context.Cause(inside), errOverdue):
		r = run.Record{Kind: run.Failed, Outcome: run.Broke, Output: &out, Reason: fmt.Sprintf("stopped by the timeout of its run, %s", def.Timeout)}
	case errors.As(err, &refused):
		r = run.Record{Kind: run.Failed, Outcome: run.Broke, Reason: refused.Why}
	case err != nil && ctx.Err() != nil:
		r = run.Record{Kind: run.Lost, Outcome: run.Cancelled, Reason: "the process that ran it was stopped"}
	case err != nil:
		r = run.Record{Kind: run.Lost, Reason: "it could not be run to its end"}
	case why != "":
		r.Kind, r.Reason = run.Failed, why
	default:
		if r.Outputs, why = run.ReadOutputs(at.job.Script.Outputs, out.Stdout); why != "" {
			r.Kind, r.Reason = run.Failed, why
		}
		if r.Kind == run.Done {
			if r.Artifacts, err = keepArtifacts(at.w, made); err != nil {
				r = run.Record{Kind: run.Lost, Output: &out, Reason: "its artifacts could not be stored"}
			}
		}
	}
	if out.Commit = commit.String(); out.Ended == "" { // it never ran
		r.Output = nil
	}
	late, end := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer end()
	if r.Kind != run.Lost {
		if err := a.vouch(late, cur, def, at.job, r); err != nil {
			return false, err
		}
	}
	var unkept error
	if !a.repeats(at.job, r) {
		_, unkept = spent(late, cur, def, at, math.MaxInt)
	}
	went, failed := a.finish(late, at, r)
	if failed != nil && at.w != cur.Workspace { // the next push takes it there
		at.w = cur.Workspace
		went, failed = a.finish(late, at, r)
	}
	failed = errors.Join(failed, unkept)
	if released {
		return true, failed
	}
	if r.Kind == run.Lost && ctx.Err() == nil {
		failed = errors.Join(fmt.Errorf("run the script of %s: %w", at.job.Name, err), failed)
	}
	return went, failed
}

// errOverdue is why a script ends at the timeout of its run.
var errOverdue = errors.New("the run is overdue")

// bounded is a script's context, which ends at the timeout of the run. Anyone who can push can write when
// a run began, which must end no required check: its script has that time from its own beginning.
func (a *Advanced) bounded(ctx context.Context, cur workspace.Session, def Definition) (context.Context, context.CancelFunc) {
	if def.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	left := def.Timeout
	if end := run.End(def.Workflow, a.State); !end.IsZero() && !a.asked(cur, def) {
		left = end.Sub(cur.Now())
	}
	return context.WithTimeoutCause(ctx, left, errOverdue)
}

// repeats reports whether another attempt of a job may follow an outcome.
func (a *Advanced) repeats(j workflow.Job, r run.Record) bool {
	return r.Kind == run.Lost || r.Kind == run.Failed && r.Outcome != run.Broke && a.Jobs[j.Name].Failures < j.Retries
}

// farewell bounds the time in which a process that was stopped records what became of its scripts.
const farewell = 10 * time.Second

// refuse records that a script that was not begun cannot be.
func (a *Advanced) refuse(ctx context.Context, w *workspace.Workspace, j workflow.Job, why string) (bool, error) {
	return a.append(ctx, w, func(s run.State) (*run.Record, error) {
		state := s.Jobs[j.Name]
		if s.Outcome != "" || s.Settled(j) || state.Status == run.Running {
			return nil, nil
		}
		if state.Status == run.Gave { // it is the next attempt that fails
			state.Attempt++
		}
		return &run.Record{V: run.Version, Kind: run.Failed, Job: j.Name, Attempt: state.Attempt, Outcome: run.Broke, Reason: why}, nil
	})
}

// begin records that the script runs here. began is false if another process was faster, or the
// job is not due any more.
func (a *Advanced) begin(ctx context.Context, w *workspace.Workspace, j workflow.Job, token string) (number int, began bool, err error) {
	soon, end := context.WithTimeout(ctx, renewal) // after that, the lease could end before it is renewed
	defer end()
	before := a.Jobs[j.Name].Attempt
	r := run.Record{V: run.Version, Kind: run.Begun, Job: j.Name, Attempt: before + 1, Token: token, Until: w.Now().Add(Lease).UTC()}
	_, err = a.append(soon, w, func(s run.State) (*run.Record, error) {
		state := s.Jobs[j.Name]
		if state.Status == run.Running && state.Token == token { // a pull brought it from the remote before it was here
			a.State, a.Steps = s, append(a.Steps, r)
			return nil, nil
		}
		if s.Outcome != "" || s.Settled(j) || state.Status == run.Running || state.Attempt != before {
			return nil, nil
		}
		return &r, nil
	})
	began = err == nil && a.Jobs[j.Name].Token == token
	if began && a.begun != nil {
		a.begun(r)
	}
	return before + 1, began, err
}

// finish records the outcome of an attempt; only its output if the run has ended, and nothing if
// another attempt counts.
func (a *Advanced) finish(ctx context.Context, at attempt, r run.Record) (bool, error) {
	return a.append(ctx, at.w, func(s run.State) (*run.Record, error) {
		r.V, r.Job, r.Attempt = run.Version, at.job.Name, at.number
		switch {
		case at.ours(s):
			return &r, nil
		case r.Output != nil && at.newest(s) && s.Jobs[r.Job].Output == nil:
			return &run.Record{V: r.V, Kind: run.Kept, Job: r.Job, Attempt: r.Attempt, Token: at.token, Output: r.Output}, nil
		}
		return nil, nil
	})
}

// call builds a script's call. If the run is about an open proposal, the script sees the
// resulting main, else the state in force, in both cases without stopped capabilities.
// commit is the proposal's head, or the commit in force.
func (a *Advanced) call(ctx context.Context, cur workspace.Session, def Definition, j workflow.Job) (c script.Call, commit tree.Hash, err error) {
	c = script.Call{Script: *j.Script, InForce: true, Policies: cur.Policies, Env: a.environ(def.Workflow, j)}
	if c.View, err = cur.Handout(ctx, cur.View); err != nil {
		return c, commit, err
	}
	if c.Event, err = json.Marshal(Occasion{Event: a.Event, Proposal: a.About, Inputs: a.Inputs}); err != nil {
		return c, commit, fmt.Errorf("write the event: %w", err)
	}
	if c.Given, err = a.given(cur, def.Workflow, j); err != nil {
		return c, commit, err
	}
	if len(j.Script.Artifacts) > 0 {
		c.Env["ASSENT_ARTIFACTS"] = script.MadeFolder
	}
	for _, g := range c.Given {
		c.Env[workflow.ArtifactsVariable(j.Local(g.Job))] = script.GivenFolder + "/" + g.Job
	}
	commit, a.shown = cur.InForce, merged{}
	if a.Proposal != "" {
		pull, err := cur.Forge.Get(ctx, a.Proposal)
		if err != nil {
			return c, commit, err
		}
		if pull.State == forge.Open {
			if c, err = a.proposed(ctx, cur, pull, c); err != nil || a.Waits != "" {
				return c, commit, err
			}
			commit = pull.Head
		}
	}
	c.Env["ASSENT_COMMIT"] = commit.String()
	return c, commit, nil
}

// proposed shows a script the resulting main, and passes it the paths that differ.
func (a *Advanced) proposed(ctx context.Context, cur workspace.Session, pull forge.Pull, c script.Call) (script.Call, error) {
	c.InForce = false
	result, err := cur.Result(cur.InForce, pull.Head)
	if err != nil {
		return c, err
	}
	a.shown = merged{pull.Head, result.Tree}
	if len(result.Conflicts) > 0 {
		a.Waits = "main changed the same files: " + result.Settle(a.Proposal, proposal.Proposal{})
		return c, nil
	}
	view, err := cur.See(result.Tree)
	if err != nil {
		return c, err
	}
	changes, err := tree.Diff(cur.View, view)
	if err != nil {
		return c, fmt.Errorf("compare with the tree in force: %w", err)
	}
	var paths []string
	for _, ch := range changes {
		paths = append(paths, ch.Path)
	}
	c.Stdin = script.Lines(paths)
	c.View, err = cur.Handout(ctx, view)
	return c, err
}

// environ returns the script's environment. Inputs and outputs are untrusted text; they are data
// there, and never part of the script.
func (a *Advanced) environ(w workflow.Workflow, j workflow.Job) map[string]string {
	out := map[string]string{}
	maps.Copy(out, j.Script.Env)
	maps.Copy(out, run.Needed(w, a.State, j))
	for name, text := range j.Group.Values(a.Inputs) {
		out["ASSENT_INPUT_"+strings.ToUpper(name)] = text
	}
	for name, text := range j.Matrix {
		out["ASSENT_MATRIX_"+strings.ToUpper(name)] = text
	}
	maps.Copy(out, map[string]string{"ASSENT_RUN": a.ID, "ASSENT_JOB": j.Name, "ASSENT_PROPOSAL": a.Proposal, "ASSENT_EVENT": a.Event, "ASSENT_EVENT_FILE": script.EventFile})
	return out
}
