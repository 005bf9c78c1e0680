package answers

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/duplicate"
	"github.com/assent-dev/assent/engine/gate/workflow"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/registry/health"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// Status is what serves a gap.
type Status string

// The statuses, in the order in which they are looked for.
const (
	InForce  Status = "in_force"
	Open     Status = "open"     // a proposal or a run of a workflow will bring it
	Archived Status = "archived" // it was in force, or is retired
	Rejected Status = "rejected"
	Nothing  Status = "nothing"
)

// Answer is what serves a gap.
type Answer struct {
	Status Status `json:"status"`
	// Capability and Kind name the one in force or archived.
	Capability string          `json:"capability,omitempty"`
	Kind       capability.Kind `json:"kind,omitempty"`
	// Unusable says why a capability in force cannot be used now, Quarantined that it has to be mended.
	Unusable    string `json:"unusable,omitempty"`
	Quarantined bool   `json:"quarantined,omitempty"`
	// Mends says that a gap starts a workflow that mends it.
	Mends bool `json:"-"`
	// Proposal is the open or rejected one, Run the run that is under way.
	Proposal string `json:"proposal,omitempty"`
	Run      string `json:"run,omitempty"`
	// By and Reason are a rejection's, signed by a person or agent on the list.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Next is the next step.
	Next string `json:"next"`
}

// Sentence says in a sentence what serves a gap.
func (a Answer) Sentence() string {
	switch a.Status {
	case InForce:
		if a.Unusable != "" {
			return a.Capability + " is in force and cannot be used now: " + a.Unusable
		}
		return a.Capability + " is in force"
	case Open:
		return cmp.Or(a.Proposal, a.Run) + " is open"
	case Archived:
		return a.Capability + " was archived"
	case Rejected:
		return a.Proposal + " was rejected by " + a.By + ": " + a.Reason
	}
	return "nothing serves it"
}

// Reported answers a gap that an agent or a person reports, for which no capability of its name can be used. It
// estimates what the workflows in force take to close it.
func Reported(ctx context.Context, cur workspace.Session, workflows []workflow.Workflow, agent string, g gaps.Gap) (a Answer, e Estimate, err error) {
	here, err := discover.Open(ctx, cur)
	if err != nil {
		return a, e, err
	}
	if a, err = New(here, agent).Answer(ctx, g); err != nil {
		return a, e, err
	}
	if a.Status == InForce && names.Fold(a.Capability) == g.Name { // a specification without code
		a = Answer{Status: Nothing}
	}
	estimate, err := Estimator(cur, workflows)
	if err == nil {
		e, err = estimate(g)
	}
	return a, e, err
}

// Finder answers gaps in one workspace.
type Finder struct {
	// Vain are capabilities that the agent was told of and that did not help it. They serve only gaps with their own name.
	Vain    []string
	here    discover.Here
	agent   *string // nil for anyone
	earlier []workspace.Earlier
	read    bool
	records []archive.Record
	listed  bool
	old     *discover.Archive
}

// New returns a Finder for an agent; an empty name means for anyone.
func New(here discover.Here, agent string) *Finder {
	return &Finder{here: here, agent: agentOf(agent)}
}

// agentOf is nil for anyone.
func agentOf(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

const (
	// named is the share of a name's words that a capability must answer, said that of the name and the
	// purpose together.
	named = 0.8
	said  = 0.3
	// looked is how many answers of a search are considered.
	looked = 3
)

// Answer says what serves a gap.
func (f *Finder) Answer(ctx context.Context, g gaps.Gap) (Answer, error) {
	found, err := f.capability(ctx, g)
	if err != nil || found.Status == InForce && !found.Quarantined {
		return found, err
	}
	under, err := f.run(cmp.Or(found.Capability, g.Name))
	if err != nil || under.Status != "" {
		return under, err
	}
	if found.Status == InForce {
		return found, nil
	}
	if !f.read {
		if f.earlier, err = workspace.ListEarlier(ctx, f.here.Session); err != nil {
			return Answer{}, err
		}
		f.read = true
	}
	var rejected *workspace.Earlier
	for i, e := range f.earlier {
		switch {
		case !serves(e, g):
		case e.Rejection == nil:
			return Answer{Status: Open, Proposal: e.ID, Next: "assent why " + names.ShellWord(e.ID)}, nil
		case rejected == nil:
			rejected = &f.earlier[i]
		}
	}
	if found.Status != Archived {
		old, err := f.archived(ctx, g)
		if err != nil {
			return Answer{}, err
		}
		if old.Status != "" {
			found = old
		}
	}
	switch {
	case found.Status == Archived:
		return found, nil
	case rejected != nil:
		return Answer{
			Status: Rejected, Proposal: rejected.ID, By: rejected.Rejection.By, Reason: rejected.Rejection.Reason,
			Next: "answer the reason before you propose it again: assent show " + names.ShellWord(rejected.ID) +
				"; or begin it all the same, for one tier more: assent gap " + names.ShellWord(g.Name) + " GOAL --anyway",
		}, nil
	}
	found.Status = Nothing
	return found, nil
}

// capability returns the capability in force that serves a gap, or else a retired one. The status Nothing marks one that
// is not called yet.
func (f *Finder) capability(ctx context.Context, g gaps.Gap) (Answer, error) {
	var archived Answer
	for _, words := range [...]string{g.Name, strings.ReplaceAll(g.Name, "-", " ")} {
		found, _, err := f.here.Find(ctx, discover.Request{Words: words, Agent: f.agent, Limit: looked})
		if err != nil {
			return Answer{}, err
		}
		for _, m := range found {
			sure, err := f.fits(ctx, g, m)
			if err != nil {
				return Answer{}, err
			}
			switch {
			case !sure, slices.ContainsFunc(f.Vain, func(name string) bool { return names.Fold(name) == names.Fold(m.Name) }) && !index.SameName(m.Name, g.Name):
			case m.Status.Runs():
				return f.inForce(m)
			case archived.Status == "" && m.Status != capability.Retired:
				archived = Answer{Status: Nothing, Capability: m.Name, Kind: m.Kind, Unusable: m.Unusable}
			case archived.Status != Archived && m.Status == capability.Retired:
				archived = Answer{Status: Archived, Capability: m.Name, Kind: m.Kind, Next: "propose it with another status; assent inspect " + names.ShellWord(m.Name) + " says why it is " + string(m.Status)}
			}
		}
	}
	return archived, nil
}

// fits reports whether a match serves a gap: it has the gap's name, or the name's words and enough of the
// purpose. The purpose of failures is an error message, whose words count for nothing.
func (f *Finder) fits(ctx context.Context, g gaps.Gap, m discover.Match) (bool, error) {
	if m.Exact == index.ByName {
		return true, nil
	}
	if m.Share < named {
		return false, nil
	}
	if g.Failures > 0 {
		return names.Fold(m.Name) == g.Name || slices.Contains(strings.Split(names.Fold(m.Name), "-"), g.Name), nil
	}
	found, err := f.Near(ctx, g)
	return slices.ContainsFunc(found, func(o discover.Match) bool { return o.Path == m.Path }), err
}

// Near returns capabilities that answer enough words of a gap's name and purpose, the best first.
func (f *Finder) Near(ctx context.Context, g gaps.Gap) ([]discover.Match, error) {
	found, _, err := f.here.Find(ctx, discover.Request{Words: strings.ReplaceAll(g.Name, "-", " ") + " " + g.Purpose, Agent: f.agent, Limit: looked})
	return slices.DeleteFunc(found, func(m discover.Match) bool { return m.Share < said }), err
}

func (f *Finder) inForce(m discover.Match) (Answer, error) {
	out := Answer{Status: InForce, Capability: m.Name, Kind: m.Kind, Unusable: m.Unusable}
	out.Quarantined = m.Stopped == nil && (m.Health == health.Red || m.Health == health.Rejected)
	switch {
	case m.Unusable != "":
		out.Next = "assent health " + names.ShellWord(m.Name) + "; propose a repair"
		if out.Quarantined && !f.here.Session.Policies.Gaps.Off {
			workflows, _, err := workflow.Load(f.here.Session.View, workspace.Schedule)
			if err != nil {
				return Answer{}, err
			}
			out.Mends = slices.ContainsFunc(workflows, workflow.Workflow.Mends)
		}
		if out.Mends {
			out.Next = "assent health " + names.ShellWord(m.Name) + "; have it mended: assent gap " + names.ShellWord(m.Name) + " GOAL"
		}
	case m.Kind == capability.KindTool:
		out.Next = "call it: assent run-tool " + names.Callable(m.Name) + " --input JSON"
	case m.Kind == capability.KindMCP:
		out.Next = "its methods: assent run-tool " + names.Callable(m.Name) + " --methods"
	default:
		out.Next = "load it: assent cat " + names.ShellWord(m.Name)
	}
	return out, nil
}

// run returns the active run about a capability.
func (f *Finder) run(name string) (Answer, error) {
	active, _, err := f.here.Session.Runs.Active()
	if err != nil {
		return Answer{}, err
	}
	for _, s := range active {
		if about := s.Inputs["capability"]; about != "" && index.SameName(about, name) {
			return Answer{Status: Open, Run: s.ID, Proposal: s.Proposal, Next: "assent run show " + names.ShellWord(s.ID)}, nil
		}
	}
	return Answer{}, nil
}

// serves reports whether a proposal is about a gap: it adds a capability with the words of the gap's name, its
// goal is the gap's purpose, or its goal has all of a name of several words.
func serves(e workspace.Earlier, g gaps.Gap) bool {
	if slices.ContainsFunc(e.Adds, func(name string) bool { return index.HasName(name, g.Name) }) || duplicate.SameGoal(e.Title, g.Purpose) {
		return true
	}
	return strings.Contains(g.Name, "-") && index.HasName(e.Title, g.Name)
}
