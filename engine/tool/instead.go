package tool

import (
	"errors"
	"fmt"

	"github.com/assent-dev/assent/engine/capability"
)

// instead adds to the refusal of what does not run another way to do the same: of those in force
// that implement the same capability, the one that failed least here.
func (e *Engine) instead(c capability.Capability, refused error) error {
	var r *refusal
	if !errors.As(refused, &r) || r.kind != NotCallable && r.kind != NotActive && r.kind != Quarantined || c.Record.Breaking {
		return refused
	}
	best, err := e.best(c)
	if err != nil {
		return err
	}
	if best != "" {
		r.hint += "; " + best + " does the same: assent run-tool " + best
	}
	return refused
}

// implementation is the implementation that a call of a specification runs: the one that failed least here.
// It is empty where c is none, or none of them runs. Only who calls by themselves is given one: what
// a composed tool calls is what it was tested with.
func (e *Engine) implementation(c capability.Capability, depth int) (name string, err error) {
	if depth > 0 || !c.SpecOnly || c.Kind != capability.KindTool || c.Status == capability.Retired {
		return "", nil
	}
	if e.Agent != "" && !c.Record.Agents.Admits(e.Agent) {
		return "", refuse(NotAllowed, "assent inspect "+c.Name+" shows whom it admits", "%s does not admit the agent %s", c.Name, e.Agent)
	}
	return e.best(c)
}

// best is the other capability that does the same as c, runs, and failed least here; "" for none.
func (e *Engine) best(c capability.Capability) (name string, err error) {
	of := c.Record.Implements
	if of == "" {
		of = c.Name
	}
	ways, err := capability.Implementing(e.View, of)
	if err != nil {
		return "", fmt.Errorf("look for what implements %s: %w", of, err)
	}
	own, err := e.View.Named(of)
	if err != nil {
		return "", fmt.Errorf("look for %s in what is in force: %w", of, err)
	}
	most := -1.0
	for _, folder := range append(own, ways...) {
		rate, runs, err := e.success(folder, c)
		if err != nil {
			return "", err
		}
		if runs && rate > most {
			name, most = folder.Name, rate
		}
	}
	return name, nil
}

// success is how well another capability that does the same did here, from 0 to 1: of one that
// was never called it is one half. runs is false where it would not run either.
func (e *Engine) success(folder capability.Folder, than capability.Capability) (rate float64, runs bool, err error) {
	c, found, err := capability.Load(e.View, folder.Path)
	if err != nil {
		return 0, false, fmt.Errorf("read %s as it is in force: %w", folder.Path, err)
	}
	if c.Path == than.Path || found.HasErrors() || c.Record.Breaking || c.Kind != than.Kind || mayRun(e.Policies, c, e.Agent) != nil {
		return 0, false, nil
	}
	j := job{capability: c}
	if err := e.held(&j); err != nil {
		var r *refusal
		if errors.As(err, &r) {
			return 0, false, nil
		}
		return 0, false, err
	}
	return float64(j.health.Uses-j.health.Failures+1) / float64(j.health.Uses+2), true, nil
}
