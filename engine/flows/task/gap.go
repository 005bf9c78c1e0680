package task

import (
	"errors"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/workspace"
)

// Lack is a gap: a capability that an agent or a person needs and does not have.
// Type is the kind of thing, Complexity and Priority are words of the workflow; all three may be "".
type Lack struct{ Capability, Goal, Missing, Reason, Type, Complexity, Priority string }

// Present says that there is no gap: the capability is in force and can be used.
type Present struct{ capability.Capability }

// Error names the capability and its place.
func (p *Present) Error() string {
	return "nothing was started: " + p.Name + " is in force already, in " + p.Path
}

// Untaken says that no workflow with the event gap has an input that was given.
type Untaken struct{ Input string }

// Error names the input.
func (u *Untaken) Error() string {
	return "no workflow in force with the event gap has an input " + u.Input
}

// ErrNoGaps says that no workflow in force has the event gap.
var ErrNoGaps = errors.New("no workflow in force has the event gap")

// Gap returns the runs that a gap begins, one for each workflow in force with the event
// gap, with the inputs that the workflow takes. The error is a *Present if the capability
// can be used, under any spelling of its name. A specification without implementation, and
// code with a status that cannot be called, are gaps. A type, complexity or priority that no workflow
// takes is an *Untaken.
func Gap(cur workspace.Session, l Lack) ([]Beginning, error) {
	all, err := Workflows(cur)
	if err != nil {
		return nil, err
	}
	if there, err := usable(cur, l.Capability); err != nil || there != nil {
		if err == nil {
			err = there
		}
		return nil, err
	}
	given := map[string]string{
		"capability": l.Capability, "goal": l.Goal, "missing": l.Missing, "reason": l.Reason, "type": l.Type, "complexity": l.Complexity, "priority": l.Priority,
	}
	chosen := map[string]bool{"type": l.Type == "", "complexity": l.Complexity == "", "priority": l.Priority == ""} // whether it has an effect
	var out []Beginning
	for _, w := range all {
		if !w.On.Gap {
			continue
		}
		inputs := map[string]string{}
		for _, in := range w.Inputs {
			if text := strings.TrimSpace(given[in.Name]); text != "" {
				inputs[in.Name], chosen[in.Name] = text, true
			}
		}
		out = append(out, Beginning{Workflow: w, Event: workflow.Gap, Inputs: inputs})
	}
	if len(out) == 0 {
		return nil, ErrNoGaps
	}
	for _, name := range []string{"type", "complexity", "priority"} {
		if !chosen[name] {
			return nil, &Untaken{name}
		}
	}
	return out, nil
}

// usable returns the usable capability in force of that name, or nil.
func usable(cur workspace.Session, name string) (*Present, error) {
	known, err := cur.View.Named(name)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	c, _, err := capability.Glance(cur.View, known[0])
	if err != nil {
		return nil, err
	}
	runs := c.Status.Runs()
	if c.SpecOnly {
		ways, err := cur.Capabilities.Related(index.Implements, c.Name)
		if err != nil {
			return nil, err
		}
		runs = slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status.Runs() && !way.SpecOnly })
	}
	if !runs {
		return nil, nil
	}
	return &Present{c}, nil
}
