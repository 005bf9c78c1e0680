package machine

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/home/keys"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// Caller identifies the caller of tools.
type Caller struct {
	// Agent is the calling agent; empty is a person.
	Agent string
	// Session is the name under which caps count; empty is the caller's own of today.
	Session string
	// Model and Mission are those of the caller; both may be empty.
	Model, Mission string
	// Warm keeps servers and sandboxes ready between the caller's calls; may be nil.
	Warm *tool.Warm
	// Getenv reads the environment that secrets may come from.
	Getenv func(string) string
	// Unrecorded is called with the reason if a call is in no trial; may be nil.
	Unrecorded func(error)
}

// Engine returns the engine for calls of capabilities in force.
func Engine(cur workspace.Session, by Caller) (*tool.Engine, error) {
	home, err := keys.Home()
	if err != nil {
		return nil, err
	}
	if by.Session == "" {
		by.Session = cmp.Or(by.Agent, "user") + ":" + cur.Now().UTC().Format(time.DateOnly)
	}
	return &tool.Engine{
		View: cur.View, Policies: cur.Policies, Agent: by.Agent, Session: by.Session, Model: by.Model, Mission: by.Mission, Warm: by.Warm,
		Ledger: calls.NewLedger(home, cur.ID()), Health: workspace.HealthOf(cur), Unrecorded: by.Unrecorded, Now: cur.Now, Packages: filepath.Join(home, "packages"),
		Secret: func(name string) (string, bool, error) { return keys.SecretOf(cur.ID(), name, by.Getenv) },
		SecretHint: func(name string) string {
			return "set " + keys.SecretVariable(name) + ", or write it to " + filepath.Join(home, "secrets", name) + " and chmod 600 that"
		},
		Stopped: func(name string) (stop.Held, bool, error) {
			j, err := cur.Stops(context.Background())
			held, stopped := j.Of(name)
			return held, stopped, err
		},
		Runner: func(ctx context.Context) (sandbox.Runner, error) {
			return isolation(ctx, cur.ID(), cur.Policies, by.Warm.Box)
		},
	}, nil
}

// Sandbox returns the isolation of this machine. In a workspace that the user accepted, the policy in force can do
// without.
func Sandbox(ctx context.Context, workspace string, p policy.Policies) (sandbox.Runner, error) {
	return isolation(ctx, workspace, p, sandbox.New)
}

func isolation(ctx context.Context, workspace string, p policy.Policies, box func(context.Context) (*sandbox.Box, error)) (sandbox.Runner, error) {
	if p.Security.Sandbox != "none" {
		return box(ctx)
	}
	known, err := keys.Trusted(workspace)
	if err != nil {
		return nil, err
	}
	//defence:only-accepted-workspaces-do-without-isolation
	if known != keys.Unisolated {
		r, err := box(ctx)
		var no *sandbox.Refusal
		if errors.As(err, &no) {
			err = &sandbox.Refusal{Why: no.Why, Fix: no.Fix + "; or accept the workspace, whose policies do without isolation: assent trust " + names.ShellWord(workspace)}
		}
		return r, err
	}
	return sandbox.NewUnprotected()
}

// Keep keeps a call that ran and gave no result, so that it can become a test. It returns the
// name under which it is kept; empty where there is nothing to keep.
func Keep(ctx context.Context, cur workspace.Session, res tool.Result) (string, error) {
	if res.Success || !res.Type.Started() || res.Type == tool.Interrupted || len(res.Input) == 0 {
		return "", nil
	}
	home, err := keys.Home()
	if err != nil {
		return "", err
	}
	return calls.NewFailures(home, cur.ID()).Keep(context.WithoutCancel(ctx), calls.Failure{
		At: cur.Now().UTC(), Tool: res.Tool, Method: res.Method, Version: string(res.Version), Input: res.Input, Error: res.Error, Type: string(res.Type),
	})
}
