package answers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/plan"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/tool"
)

// Steps reports which steps of a plan the engine's agent cannot carry out now, and which capabilities the plan lacks.
// It starts and charges nothing, and checks each step by itself.
func Steps(here discover.Here, e *tool.Engine, p plan.Plan) (ds diag.List, lacks []gaps.Gap, err error) {
	for i, s := range p.Steps {
		would, err := e.Plan(tool.Call{Name: s.Tool, Input: s.Args})
		if err != nil {
			return nil, nil, err
		}
		at := stepOf{here: here, Step: s, what: fmt.Sprintf("step %d: ", i+1), would: would, agent: agentOf(e.Agent)}
		switch {
		case would.Type == "":
		case would.Type == tool.NotFound && would.Tool == "":
			missing, err := at.unknown(&ds, p.Goal)
			if err != nil {
				return nil, nil, err
			}
			lacks = lack(lacks, missing)
		case would.Type == tool.NotCallable:
			err = at.read(&ds)
		case would.Type == tool.InvalidInput:
			at.misfits(&ds)
		default:
			at.unusable(&ds, would.Error, would.Hint)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if !p.RequiresNewSkill {
		return ds, lacks, nil
	}
	there, err := present(here, e, p)
	if there.Name != "" {
		ds.Errorf(plan.RulePresent, p.MissingPos, "plan with it; if it lacks something, propose a change of it", "%s is in force", there.Name)
		return ds, lacks, err
	}
	missing := gaps.Planned(p.Missing, p.Goal+": "+p.Reason, p.MissingPos.Line)
	return ds, lack(lacks, &missing), err
}

// stepOf is a step that a call of its capability would not start.
type stepOf struct {
	here discover.Here
	plan.Step
	what  string // begins its messages
	would tool.Plan
	agent *string // nil for anyone
}

// lack adds a gap, if there is one, or counts it once more.
func lack(all []gaps.Gap, g *gaps.Gap) []gaps.Gap {
	if g == nil {
		return all
	}
	if i := slices.IndexFunc(all, func(known gaps.Gap) bool { return known.Name == g.Name }); i >= 0 {
		all[i].Times++
		return all
	}
	return append(all, *g)
}

func (s stepOf) unusable(ds *diag.List, why, fix string) {
	ds.Errorf(plan.RuleUnusable, s.Pos, fix, "%s%s", s.what, why)
}

// unknown reports a name that is not in force, and returns the gap. A name much like one in force is a slip, and no gap.
func (s stepOf) unknown(ds *diag.List, goal string) (*gaps.Gap, error) {
	name, _ := capability.SplitCall(s.Tool)
	near, err := s.here.Near(discover.Request{Words: name, Agent: s.agent, InUse: true})
	if err != nil {
		return nil, err
	}
	const otherwise = "if nothing in force will do, leave out the steps and write requires_new_skill, missing_capability and reason"
	if len(near) > 0 {
		ds.Errorf(plan.RuleUnknown, s.Pos, "did you mean "+strings.Join(near, " or ")+"? "+otherwise, "%s%s", s.what, s.would.Error)
		return nil, nil
	}
	ds.Errorf(plan.RuleUnknown, s.Pos, otherwise, "%s%s", s.what, s.would.Error)
	missing := gaps.Planned(name, goal, s.Pos.Line)
	return &missing, nil
}

// misfits reports each place of the args that does not fit.
func (s stepOf) misfits(ds *diag.List) {
	for _, f := range s.would.Faults {
		ds.Errorf(plan.RuleArgs, s.Pos, s.would.Hint, "%sthe args do not fit %s: %s", s.what, s.would.Tool, f)
	}
	if len(s.would.Faults) == 0 {
		ds.Errorf(plan.RuleArgs, s.Pos, s.would.Hint, "%s%s", s.what, s.would.Error)
	}
}

// read checks a step whose capability is not called. A skill or sub-agent is read instead.
func (s stepOf) read(ds *diag.List) error {
	e, err := entry(s.here, s.would.Tool)
	if err != nil {
		return err
	}
	now, err := s.here.Condition(e)
	switch {
	case err != nil:
		return err
	case e.Kind != capability.KindSkill && e.Kind != capability.KindAgent || e.Unsound:
		s.unusable(ds, s.would.Error, s.would.Hint)
	case now.Unusable != "":
		s.unusable(ds, e.Name+" cannot be used: "+now.Unusable, "a proposal changes its status")
	case s.agent != nil && !e.Agents.Admits(*s.agent):
		s.unusable(ds, e.Name+" does not admit the agent "+*s.agent, "assent inspect "+names.ShellWord(e.Name)+" lists the agents that it admits")
	case strings.Trim(string(s.Args), "{} \t\r\n") != "" && string(s.Args) != "null":
		ds.Errorf(plan.RuleArgs, s.Pos, "leave args out", "%s%s is of kind %s, which is read and takes no args", s.what, e.Name, e.Kind)
	}
	return nil
}

// entry returns the capability in force with a name; without one, the zero value.
func entry(here discover.Here, name string) (index.Entry, error) {
	known, err := here.Session.View.Named(name)
	if err != nil || len(known) == 0 {
		return index.Entry{}, err
	}
	return here.Entry(known[0])
}

// present returns the capability that a plan calls missing, if it is in force and can be used. Only its name counts:
// one that answers the same words may lack what the plan needs.
func present(here discover.Here, e *tool.Engine, p plan.Plan) (index.Entry, error) {
	there, err := entry(here, strings.TrimSpace(p.Missing))
	if err != nil || there.Name == "" || !there.Agents.Admits(e.Agent) && e.Agent != "" {
		return index.Entry{}, err
	}
	now, err := here.Condition(there)
	if err != nil || now.Unusable != "" {
		return index.Entry{}, err
	}
	return there, nil
}
