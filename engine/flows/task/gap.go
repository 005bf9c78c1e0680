package task

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/proposals/gc"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/workspace"
)

// Lack is a gap: a capability that an agent or a person needs and does not have.
// Type is the kind of thing, Complexity and Priority are words of the workflow; APIHint is the interface that was named,
// for workflows that take it. All four may be "". Improve asks for the workflows that mend, of code that works and is
// shown to do worse than other code.
type Lack struct {
	Capability, Goal, Missing, Reason, Type, Complexity, Priority, APIHint string
	Improve                                                                bool
}

// Present says that nothing is started: the capability is in force and can be used, or no workflow mends it.
type Present struct {
	capability.Capability
	// Unusable says why its code is not called, "" if it is.
	Unusable string
	// Worse is what code that is called is shown to do worse than, Unread says why not all was read for that. Mended
	// is set if a workflow in force mends.
	Worse  []trial.Worse
	Unread error
	Mended bool
}

// Error names the capability and its place.
func (p *Present) Error() string {
	if p.Unusable != "" {
		return "nothing was started: " + p.Name + ", in " + p.Path + ", is in quarantine, and no workflow in force mends it: " + p.Unusable
	}
	text := "nothing was started: " + p.Name + " is in force already, in " + p.Path
	if why := p.worse(); why != "" {
		text += ". " + why
	}
	if p.Unread != nil {
		text += ". Not all of its calls could be read: " + p.Unread.Error()
	}
	return text
}

// worse is the evidence that there is better code, "" without any.
func (p *Present) worse() string {
	if len(p.Worse) == 0 {
		return ""
	}
	var out []string
	for _, w := range p.Worse {
		out = append(out, w.Sentence())
	}
	return "It works, and is worth improving: " + strings.Join(out, "; ")
}

// Untaken says that no workflow with the event gap has an input that was given.
type Untaken struct{ Input string }

// Error names the input.
func (u *Untaken) Error() string {
	return "no workflow in force with the event gap has an input " + u.Input
}

// ErrNoGaps says that no workflow in force has the event gap.
var ErrNoGaps = errors.New("no workflow in force has the event gap")

// ErrOff says that runs are started for no gap.
var ErrOff = errors.New("acquisition is off: policies/gaps.yaml has enabled: false or an error")

// ErrAbsent says that nothing has a name that could be improved.
var ErrAbsent = errors.New("nothing was started: nothing of that name is in force and could be improved")

// Gap returns the runs that a gap begins, one for each workflow in force with the event
// gap, with the inputs that the workflow takes. The error is a *Present if the capability
// can be used, under any spelling of its name. A specification without implementation, and
// code with a status that cannot be called, are gaps. Code in testing, and code in quarantine here, begins
// the workflows that mend, and no others if there are any; so does code that is shown to do worse than other code, if
// that is asked for. A type, complexity or priority that no workflow takes is an *Untaken.
func Gap(cur workspace.Session, l Lack) ([]Beginning, error) {
	all, err := Workflows(cur)
	if err != nil {
		return nil, err
	}
	place, err := inForce(cur, l.Capability)
	if err != nil {
		return nil, err
	}
	there, unusable, err := present(cur, place)
	if err != nil {
		return nil, err
	}
	if place.Path != "" {
		l.Capability = place.Name
	}
	mend := slices.ContainsFunc(all, workflow.Workflow.Mends)
	if there != nil {
		there.Mended = mend
		if l.Improve {
			unusable = cmp.Or(unusable, there.worse())
		}
	}
	switch mend = mend && unusable != ""; {
	case there != nil && !mend:
		return nil, there
	case l.Improve && !mend:
		return nil, ErrAbsent
	}
	given := map[string]string{
		"capability": l.Capability, "goal": l.Goal, "missing": l.Missing, "reason": l.Reason, workflow.Unusable: clipped(unusable), "type": l.Type, "complexity": l.Complexity, "priority": l.Priority,
		"api_hint": l.APIHint, "prefer_skills": strconv.FormatBool(cur.Policies.Gaps.PreferSkills), "mcp_language": string(cur.Policies.Gaps.Language),
	}
	chosen := map[string]bool{"type": l.Type == "", "complexity": l.Complexity == "", "priority": l.Priority == ""} // whether it has an effect
	var out []Beginning
	for _, w := range all {
		if !w.On.Gap || w.Mends() != mend {
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

// inForce returns where the capability in force of a name is, or else the first specification whose name has the same
// words (index.SameName); without a path if neither is there.
func inForce(cur workspace.Session, name string) (capability.Folder, error) {
	known, err := cur.View.Named(name)
	if err == nil && len(known) == 0 {
		var same []index.Entry
		same, err = cur.Capabilities.Entries(func(e index.Entry) bool { return e.SpecOnly && index.SameName(e.Name, name) })
		for _, e := range same {
			known = append(known, e.Folder)
		}
	}
	if err != nil || len(known) == 0 {
		return capability.Folder{}, err
	}
	return known[0], nil
}

// present returns the capability at a place in force that can be used or is in quarantine here, or nil. unusable says
// why code that could be mended is not called.
func present(cur workspace.Session, place capability.Folder) (there *Present, unusable string, err error) {
	if place.Path == "" {
		return nil, "", nil
	}
	c, _, err := capability.Glance(cur.View, place)
	if err != nil {
		return nil, "", err
	}
	runs := c.Status.Runs()
	switch {
	case c.SpecOnly:
		ways, err := cur.Capabilities.Related(index.Implements, c.Name)
		if err != nil {
			return nil, "", err
		}
		runs = slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status.Runs() && !way.SpecOnly })
	case c.Callable() && c.Status == capability.Testing:
		unusable = "its status is testing"
	case c.Callable() && runs:
		if unusable, err = quarantined(cur, c); err != nil {
			return nil, "", err
		}
	}
	if !runs {
		return nil, unusable, nil
	}
	there = &Present{Capability: c, Unusable: unusable}
	if c.Callable() && unusable == "" {
		there.Worse, there.Unread = gc.Worse(cur, place)
	}
	return there, unusable, nil
}

// quarantined says why the code of a capability is not called here, "" if it is.
func quarantined(cur workspace.Session, c capability.Capability) (string, error) {
	at, err := cur.View.Lookup(c.Path)
	if err != nil {
		return "", fmt.Errorf("look up %s: %w", c.Path, err)
	}
	known, err := workspace.HealthOf(cur).Read(c.Name)
	if err != nil {
		return "", err
	}
	if e := known.Entry(at.Hash.String(), c.Version); !e.State.Runs() {
		return cmp.Or(e.Why, string(e.State)), nil
	}
	return "", nil
}

// clipped is a text that an input can hold.
func clipped(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), workflow.MaxInput)], "")
}
