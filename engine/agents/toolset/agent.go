package toolset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Program is what the operations need from the program that runs them.
type Program struct {
	// Open opens the workspace and observes the state in force. Join does the same after it
	// fetched changes from the service. Look continues where Open stops at a break.
	Open, Join, Look func(ctx context.Context) (workspace.Session, error)
	// Engine returns the engine for an agent's calls in a session.
	Engine func(cur workspace.Session, agent, session string) (*tool.Engine, error)
	// Called records a failed call, and opens proposals about the tools that it put into
	// quarantine.
	Called func(ctx context.Context, cur workspace.Session, agent string, res tool.Result, turned []tool.Turned)
	// Model and Mission are those of the client; both may be empty.
	Model, Mission string
	// Lacked notes a lack for a mission; nil notes none.
	Lacked func(ctx context.Context, mission, name, goal string) error
	// Record records uses; nil records none.
	Record func(ctx context.Context, cur workspace.Session, uses ...trial.Observation)
	// Changed notifies the people who must act after a change.
	Changed func(ctx context.Context, cur workspace.Session)
	// Explain returns the meaning of an environment error and its fix.
	Explain func(error) (what, next string)
}

// Agent is one connected agent. It is safe for several goroutines.
type Agent struct {
	// Name is the agent's name; if empty, the client cannot propose.
	Name string
	// Session is the session that calls count against.
	Session string
	Program

	mu sync.Mutex
	// told is the commit in force up to which Status has listed changes.
	told tree.Hash
	// trials are those that Suggest has read.
	trials triallog.Reading
	// answered are what Hear and Callable have answered.
	answered map[string]bool
}

// Refusal says why an operation did nothing and what the agent can do next. Its reader is a
// model.
type Refusal struct {
	What string
	Next string
	// cause is for callers that act on it; nil for most.
	cause error
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.cause }

// Error is one paragraph: what happened, then what to do.
func (r *Refusal) Error() string {
	if r.Next == "" {
		return r.What
	}
	return r.What + "\nNext: " + r.Next
}

func refuse(next, format string, args ...any) error {
	return &Refusal{What: fmt.Sprintf(format, args...), Next: next}
}

// Explained makes a Refusal of any error.
func (a *Agent) Explained(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	var unknown *propose.Unknown
	if errors.As(err, &unknown) && unknown.Agent != "" {
		return &Refusal{
			What: fmt.Sprintf("this workspace knows no agent %q", unknown.Agent),
			Next: "ask the person to connect this client as one of: " + strings.Join(unknown.Agents, ", "),
		}
	}
	if a.Explain == nil {
		return &Refusal{What: err.Error()}
	}
	what, next := a.Explain(err)
	return &Refusal{What: what, Next: next}
}

// maxFindings bounds how many findings an answer lists.
const maxFindings = 20

// findings are diagnostics as lines for a model, the errors first.
func findings(ds diag.List) []string {
	ds = append(diag.List{}, ds...)
	ds.Sort()
	out := []string{}
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Note} {
		for _, d := range ds {
			if d.Severity != severity {
				continue
			}
			if len(out) == maxFindings {
				return append(out, fmt.Sprintf("… %d more", len(ds)-maxFindings))
			}
			line := d.String()
			if d.Fix != "" {
				line += ". Fix: " + d.Fix
			}
			out = append(out, line)
		}
	}
	return out
}
