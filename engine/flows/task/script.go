package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge"
	"github.com/assent-dev/assent/engine/format/proposal"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/tools/script"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/run"
)

// script runs a job's script. It prepares the call, records the beginning and its deadline,
// runs the script, and records the outcome unless another process has begun it again. If
// the process is killed in between, the attempt counts as lost after the deadline, and the
// next process begins again.
func (a *Advanced) script(ctx context.Context, cur workspace.Session, j workflow.Job) (bool, error) {
	call, commit, err := a.call(ctx, cur, j)
	if err != nil || a.Waits != "" {
		return false, err
	}
	ready, err := script.Prepare(ctx, call, cur.Sandbox, cur.Secret)
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
	attempt, began, err := a.begin(ctx, cur.Workspace, j)
	if err != nil || !began {
		return began, err
	}
	out, why, err := ready.Run(ctx)
	switch {
	case errors.As(err, &refused):
		return a.finish(ctx, cur.Workspace, j, run.Record{Kind: run.Failed, Attempt: attempt, Reason: refused.Why})
	case err != nil:
		return false, fmt.Errorf("run the script of %s: %w", j.Name, err)
	}
	out.Commit = commit.String()
	r := run.Record{Kind: run.Done, Attempt: attempt, Output: &out}
	if why != "" {
		r.Kind, r.Reason = run.Failed, why
	}
	return a.finish(ctx, cur.Workspace, j, r)
}

// refuse records that a script that was not begun cannot be.
func (a *Advanced) refuse(ctx context.Context, w *workspace.Workspace, j workflow.Job, why string) (bool, error) {
	return a.append(ctx, w, func(s run.State) (*run.Record, error) {
		if s.Outcome != "" || s.Records != a.Records {
			return nil, nil
		}
		return &run.Record{V: run.Version, Kind: run.Failed, Job: j.Name, Attempt: s.Jobs[j.Name].Attempt, Reason: why}, nil
	})
}

// begin records that the script runs here. began is false if another process was faster.
func (a *Advanced) begin(ctx context.Context, w *workspace.Workspace, j workflow.Job) (attempt int, began bool, err error) {
	now := w.Now()
	began, err = a.append(ctx, w, func(s run.State) (*run.Record, error) {
		if s.Outcome != "" || s.Records != a.Records {
			return nil, nil
		}
		attempt = s.Jobs[j.Name].Attempt + 1
		return &run.Record{V: run.Version, Kind: run.Begun, Job: j.Name, Attempt: attempt, Until: now.Add(j.Script.Timeout + script.Slack).UTC()}, nil
	})
	return attempt, began && a.Jobs[j.Name].Status == run.Running && a.Jobs[j.Name].Attempt == attempt, err
}

// finish records the outcome of a script, unless it was begun again or the run has ended.
func (a *Advanced) finish(ctx context.Context, w *workspace.Workspace, j workflow.Job, r run.Record) (bool, error) {
	return a.append(ctx, w, func(s run.State) (*run.Record, error) {
		if now := s.Jobs[j.Name]; s.Outcome != "" || now.Status != run.Running || now.Attempt != r.Attempt {
			return nil, nil
		}
		r.V, r.Job = run.Version, j.Name
		return &r, nil
	})
}

// call builds a script's call. If the run is about an open proposal, the script sees the
// resulting main, else the state in force, in both cases without stopped capabilities.
// commit is the proposal's head, or the commit in force.
func (a *Advanced) call(ctx context.Context, cur workspace.Session, j workflow.Job) (c script.Call, commit tree.Hash, err error) {
	c = script.Call{Script: *j.Script, InForce: true, Policies: cur.Policies, Env: a.environ(j)}
	if c.View, err = cur.Handout(ctx, cur.View); err != nil {
		return c, commit, err
	}
	commit = cur.InForce
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

// environ returns the script's environment. Inputs are untrusted text; they are data there,
// and never part of the script.
func (a *Advanced) environ(j workflow.Job) map[string]string {
	out := map[string]string{"ASSENT_RUN": a.ID, "ASSENT_JOB": j.Name, "ASSENT_PROPOSAL": a.Proposal}
	for name, text := range a.Inputs {
		out["ASSENT_INPUT_"+strings.ToUpper(name)] = text
	}
	return out
}
