package tool

import (
	"errors"
	"fmt"
	"time"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/composed"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/sandbox"
)

// Plan describes a call in advance. Nothing was started or charged.
type Plan struct {
	Tool    string             `json:"tool"`
	Method  string             `json:"method,omitempty"`
	Version capability.Version `json:"version,omitempty"`
	// Resolved is the implementation that would run for a specification.
	Resolved *Resolved          `json:"resolved,omitempty"`
	Runtime  capability.Runtime `json:"runtime,omitempty"`
	Entry    string             `json:"entry,omitempty"`
	Timeout  time.Duration      `json:"timeout"`
	// Memory in bytes.
	Memory  int64    `json:"memory"`
	Write   bool     `json:"write"`
	Hosts   []string `json:"hosts"`
	Secrets []string `json:"secrets"`
	Cost    float64  `json:"cost"`
	// Calls are all direct and indirect calls of a composed tool, each after its own calls.
	Calls []string `json:"calls"`
	// Protected: it would be isolated from this machine.
	Protected bool        `json:"protected"`
	Spent     calls.Spent `json:"session"`
	Caps      calls.Caps  `json:"caps"`
	// Error, Type, Hint and Faults say why it would not start, if that is known.
	Error  string             `json:"error,omitempty"`
	Type   ErrorType          `json:"error_type,omitempty"`
	Hint   string             `json:"hint,omitempty"`
	Faults []capability.Fault `json:"faults,omitempty"`
}

// Plan returns the plan of a call.
func (e *Engine) Plan(call Call) (Plan, error) {
	j, err := e.prepare(call, 0)
	return e.planned(j, err)
}

// PlanMethods returns the plan of listing a server's methods.
func (e *Engine) PlanMethods(call Call) (Plan, error) {
	j, err := e.prepareMethods(call)
	return e.planned(j, err)
}

// planned returns the plan of a prepared job, or of one that failed with err.
func (e *Engine) planned(j job, err error) (Plan, error) {
	c := j.capability
	p := Plan{Tool: c.Name, Method: j.method, Version: c.Version, Resolved: j.resolved, Timeout: j.timeout, Protected: e.Policies.Security.Sandbox != "none",
		Hosts: []string{}, Secrets: []string{}, Calls: []string{},
		Caps: e.account().caps()}
	if r := c.Record.Run; r != nil {
		p.Runtime, p.Entry, p.Write = r.Runtime, r.Entry, r.Write
		p.Memory = e.permits().memoryOf(*r, sandbox.Default().Memory)
		if r.Runtime == capability.Starlark {
			p.Memory = e.permits().memoryOf(*r, composed.DefaultLimits().Memory)
		}
		p.Protected = p.Protected || r.Runtime == capability.Starlark || r.Runtime == capability.MCPHTTP
	}
	p.Hosts, p.Secrets = append(p.Hosts, c.Record.Requires.Hosts...), append(p.Secrets, c.Record.Requires.Secrets...)
	if c.Record.Cost != nil {
		p.Cost = c.Record.Cost.PerUse
	}
	if err == nil {
		p.Calls, err = e.calls(c)
	}
	if err == nil {
		err = e.account().fitsAccount(c)
	}
	var r *refusal
	if errors.As(err, &r) {
		p.Error, p.Type, p.Hint, p.Faults, err = r.text, r.kind, r.hint, r.faults, nil
	}
	if err != nil {
		return p, err
	}
	p.Spent, err = e.Ledger.Session(e.Session)
	return p, err
}

// Obstacle says why a call would not start, whatever its input.
type Obstacle struct {
	Error string    `json:"error"`
	Type  ErrorType `json:"error_type,omitempty"`
	Hint  string    `json:"hint,omitempty"`
}

// ObstacleTo returns what prevents calls of a capability now, nil if nothing does.
func ObstacleTo(e *Engine, name string) (*Obstacle, error) {
	j, err := permit(e, Call{Name: name}, 0)
	if err == nil {
		err = e.provide(&j)
	}
	if err == nil {
		err = e.account().fitsAccount(j.capability)
	}
	var r *refusal
	if errors.As(err, &r) {
		return &Obstacle{r.text, r.kind, r.hint}, nil
	}
	return nil, err
}

// fitsAccount reports whether the session has room for the call now. The calls that it will
// make itself are not known in advance.
func (a account) fitsAccount(c capability.Capability) error {
	due, err := a.due(c)
	if err == nil {
		_, err = a.ledger.Fits(due, a.caps(), a.now())
	}
	return beyond(c, err)
}

// calls lists the dependencies of a composed tool.
func (e *Engine) calls(c capability.Capability) ([]string, error) {
	root, err := e.catalogue().composedTool(c)
	if err != nil || root.Program == nil {
		return []string{}, err
	}
	order, found, err := composed.Order(root, func(spelling string) (composed.Tool, bool, error) {
		next, method, err := e.catalogue().find(spelling)
		var r *refusal
		if errors.As(err, &r) {
			return composed.Tool{}, false, nil
		}
		if err != nil {
			return composed.Tool{}, false, err
		}
		var ways []string
		if !next.Callable() && next.Kind == capability.KindTool {
			ranked, err := e.ways().ranked(next)
			if err != nil {
				return composed.Tool{}, false, err
			}
			for _, way := range ranked {
				ways = append(ways, way.Name)
			}
		}
		if why, fix := composed.Uncallable(next, method, ways); why != "" {
			return composed.Tool{Name: next.Name, Why: why, Fix: fix}, false, nil
		}
		t, err := e.catalogue().composedTool(next)
		return t, true, err
	})
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return nil, refuse(NotCallable, found[0].Fix, "%s: %s", found[0].Pos, found[0].Message)
	}
	return order[:len(order)-1], nil
}

// composedTool reads the program of a composed tool; all others have none.
func (in catalogue) composedTool(c capability.Capability) (composed.Tool, error) {
	t := composed.Tool{Name: c.Name}
	if c.Record.Run == nil || c.Record.Run.Runtime != capability.Starlark {
		return t, nil
	}
	path := c.Path + "/" + c.Record.Run.Entry
	src, err := in.view.Read(path)
	if err != nil {
		return t, fmt.Errorf("read %s: %w", path, err)
	}
	program, found := composed.Parse(path, src)
	if found.HasErrors() {
		return t, refuse(NotCallable, found[0].Fix, "%s: %s", found[0].Pos, found[0].Message)
	}
	t.Program = program
	return t, nil
}
