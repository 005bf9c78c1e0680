package prove

import (
	"fmt"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// Target is a capability to be tested.
type Target struct {
	// View is the tree that holds it, Path its folder there.
	View tool.View
	Path string
	// Base is the tree in force if View is a change of it; nil compares with nothing.
	Base tool.View
	// Calls is set if the change leaves the capability alone and gives new code to one that it
	// calls, whose name this is. Then all that passed must pass, standard cases included.
	Calls string
}

// Planned is the planned run of a target.
type Planned struct {
	Capability capability.Capability
	Cases      []suite.Case
	// Base is the planned run on the tree in force; nil if there is none.
	Base *PlannedBase
	// Diagnostics are errors in the capability's files, and tests that cannot be made. With an
	// error among them nothing runs.
	Diagnostics diag.List

	target Target
	tree   string
	part   bool // tags chose among the cases
}

// Calls is as in Target.
func (p Planned) Calls() string { return p.target.Calls }

// PlannedBase is the planned run on the tree in force.
type PlannedBase struct {
	Capability capability.Capability
	// Cases are its own and inherited ones. Added are those that only the change has.
	Cases, Added []suite.Case

	tree string
}

// Plan lists the runs. tags chooses the cases that carry one of them; without tags, all
// run.
func Plan(targets []Target, tags ...string) ([]Planned, error) {
	var out []Planned
	for _, t := range targets {
		p, err := t.plan(tags)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (t Target) plan(tags []string) (Planned, error) {
	p := Planned{target: t, part: len(tags) > 0}
	var err error
	if p.Capability, p.tree, p.Diagnostics, err = load(t.View, t.Path); err != nil || p.Diagnostics.HasErrors() {
		return p, err
	}
	cases, found, err := suite.Plan(p.Capability, finder(t.View, t.Base))
	if err != nil {
		return p, fmt.Errorf("plan the tests of %s: %w", p.Capability.Name, err)
	}
	p.Diagnostics.Add(found...)
	p.Cases = chosen(cases, p.Capability, tags)
	if t.Base != nil && !found.HasErrors() {
		p.Base, err = t.base(p.Capability, tags)
	}
	return p, err
}

// base plans the run of the same capability as it is in force.
func (t Target) base(head capability.Capability, tags []string) (*PlannedBase, error) {
	was, there, err := finder(t.Base)(head.Name)
	if err != nil || !there || !was.Callable() {
		return nil, err
	}
	e, err := t.Base.Lookup(was.Path)
	if err != nil {
		return nil, fmt.Errorf("look up %s as it is in force: %w", was.Path, err)
	}
	if t.Calls != "" {
		cases, _, err := suite.Plan(was, finder(t.Base))
		if err != nil {
			return nil, fmt.Errorf("plan the tests of %s as it is in force: %w", was.Name, err)
		}
		return &PlannedBase{Capability: was, tree: e.Hash.String(), Cases: chosen(cases, was, tags)}, nil
	}
	inherited, _, err := suite.InheritedCases(was, finder(t.Base))
	if err != nil {
		return nil, fmt.Errorf("plan the tests of %s as it is in force: %w", was.Name, err)
	}
	return &PlannedBase{
		Capability: was, tree: e.Hash.String(),
		Cases: chosen(append(suite.OwnCases(was), inherited...), was, tags), Added: chosen(suite.Added(was, head), head, tags),
	}, nil
}

// chosen returns the cases that run. The schema of a server's record does not describe the input
// of a case, so no standard cases come from it.
func chosen(cases []suite.Case, c capability.Capability, tags []string) []suite.Case {
	if len(tags) > 0 {
		cases = suite.Tagged(cases, tags...)
	}
	if c.Kind != capability.KindMCP {
		return cases
	}
	var out []suite.Case
	for _, k := range cases {
		if k.Origin != suite.Standard {
			k.Output = nil
			out = append(out, k)
		}
	}
	return out
}

// load reads a capability and names its content.
func load(v tool.View, path string) (capability.Capability, string, diag.List, error) {
	c, found, err := capability.Load(v, path)
	if err != nil {
		return c, "", found, fmt.Errorf("read %s: %w", path, err)
	}
	e, err := v.Lookup(path)
	if err != nil {
		return c, "", found, fmt.Errorf("look up %s: %w", path, err)
	}
	return c, e.Hash.String(), found, nil
}

// finder looks for a capability in the first of several trees that has it: a capability that
// the change removes still passes on its cases.
func finder(views ...tool.View) suite.Finder {
	return func(name string) (capability.Capability, bool, error) {
		for _, v := range views {
			if v == nil {
				continue
			}
			known, err := v.Named(name)
			if err != nil {
				return capability.Capability{}, false, fmt.Errorf("look for %s: %w", name, err)
			}
			if len(known) == 0 {
				continue
			}
			c, found, err := capability.Load(v, known[0].Path)
			if err != nil {
				return c, false, fmt.Errorf("read %s: %w", known[0].Path, err)
			}
			return c, !found.HasErrors(), nil
		}
		return capability.Capability{}, false, nil
	}
}
