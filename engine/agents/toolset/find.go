package toolset

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/strictyaml"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
)

// FindInput is a search.
type FindInput struct {
	Words string          `json:"words"`
	Kind  capability.Kind `json:"kind,omitempty"`
	Limit int             `json:"limit,omitempty"`
}

// Match is one answer of a search.
type Match struct {
	Name        string          `json:"name"`
	Kind        capability.Kind `json:"kind"`
	Description string          `json:"description"`
	// Takes describes a tool's input in one line, if its record does.
	Takes string `json:"takes,omitempty"`
	// Use is the next step with it.
	Use string `json:"use"`
}

// FindOutput lists the matches, the best first, or, if there are none, names that resemble
// the words.
type FindOutput struct {
	Matches []Match  `json:"matches"`
	Near    []string `json:"near,omitempty"`
}

const (
	// defaultMatches is how many matches are listed unless the agent asks for another number,
	// maxMatches the most.
	defaultMatches = 8
	maxMatches     = 50
	// spare is how many more are looked at, because some are not for this agent.
	spare = 100
)

// search is the one place that asks the registry's search.
func search(cur workspace.Session, in FindInput) ([]index.Entry, error) {
	found, err := cur.Capabilities.Find(index.Query{Words: in.Words, Kind: in.Kind, Limit: in.Limit + spare})
	if err != nil {
		return nil, err
	}
	out := make([]index.Entry, len(found))
	for i, m := range found {
		out[i] = m.Entry
	}
	return out, nil
}

// Find searches the capabilities in force that the agent may use. Those that cannot be
// called now come last.
func (a *Agent) Find(ctx context.Context, in FindInput) (FindOutput, error) {
	out := FindOutput{Matches: []Match{}}
	switch {
	case strings.TrimSpace(in.Words) == "":
		return out, refuse("call find with words such as {\"words\": \"csv table\"}", "find needs words to search for")
	case in.Kind != "" && !slices.Contains(capability.Kinds(), in.Kind):
		return out, refuse("leave kind out, or use one of: "+joined(capability.Kinds()), "there is no kind %q", in.Kind)
	}
	if in.Limit = min(in.Limit, maxMatches); in.Limit < 1 {
		in.Limit = defaultMatches
	}
	cur, err := a.Open(ctx)
	if err != nil {
		return out, err
	}
	found, err := search(cur, in)
	if err != nil {
		return out, err
	}
	found = slices.DeleteFunc(found, func(e index.Entry) bool { return !a.mayUse(e) })
	if len(found) == 0 {
		out.Near, err = a.near(cur, in.Words)
		return out, err
	}
	use, err := a.uses(ctx, cur)
	if err != nil {
		return out, err
	}
	for _, e := range found[:min(len(found), 2*in.Limit)] {
		m, err := use.match(e)
		if err != nil {
			return out, err
		}
		out.Matches = append(out.Matches, m)
	}
	slices.SortStableFunc(out.Matches, func(x, y Match) int { return cmp.Compare(idle(x), idle(y)) })
	out.Matches = out.Matches[:min(in.Limit, len(out.Matches))]
	return out, nil
}

// mayUse reports whether the agent may use a capability: it is active or deprecated, and the
// record does not keep it for others.
func (a *Agent) mayUse(e index.Entry) bool { return e.Status.Runs() && e.Agents.Admits(a.Name) }

func idle(m Match) int {
	if strings.HasPrefix(m.Use, unusable) {
		return 1
	}
	return 0
}

// near are up to three names in force that the words may have meant.
func (a *Agent) near(cur workspace.Session, words string) ([]string, error) {
	all, err := cur.Capabilities.Entries(a.mayUse)
	if err != nil {
		return nil, err
	}
	known := make([]string, len(all))
	for i, e := range all {
		known[i] = e.Name
	}
	var out []string
	fields := strings.Fields(words)
	for _, word := range append([]string{strings.Join(fields, "-")}, fields...) {
		folded := names.Fold(word)
		candidates := []string{strictyaml.Nearest(folded, known)}
		for _, name := range known {
			if len(folded) > 2 && strings.Contains(name, folded) {
				candidates = append(candidates, name)
			}
		}
		for _, name := range candidates {
			if name != "" && !slices.Contains(out, name) && len(out) < 3 {
				out = append(out, name)
			}
		}
	}
	return out, nil
}

// uses determines how a capability can be used at this moment.
type uses struct {
	cur    workspace.Session
	engine *tool.Engine
	stops  stop.Judged
}

func (a *Agent) uses(ctx context.Context, cur workspace.Session) (uses, error) {
	engine, err := a.Engine(cur, a.Name, a.Session)
	if err != nil {
		return uses{}, err
	}
	stops, err := cur.Stops(ctx)
	return uses{cur, engine, stops}, err
}

// unusable is the prefix of Use for a capability that cannot be used now.
const unusable = "not now: "

func (u uses) match(e index.Entry) (Match, error) {
	m := Match{Name: e.Name, Kind: e.Kind, Description: e.Description}
	if e.Kind == capability.KindTool {
		c, _, err := capability.Glance(u.cur.View, e.Folder)
		if err != nil {
			return m, err
		}
		m.Takes = c.Record.Signature()
	}
	why, err := u.unusable(e)
	switch {
	case err != nil:
		return m, err
	case why != "":
		m.Use = unusable + why
	case e.Kind == capability.KindTool:
		m.Use = "call"
	case e.Kind == capability.KindMCP:
		m.Use = "load lists its tools; call " + names.Callable(e.Name) + "__TOOL"
	default:
		m.Use = "load"
	}
	return m, nil
}

// unusable returns the reason why a capability cannot be used now, or "".
func (u uses) unusable(e index.Entry) (string, error) {
	if held, stopped := u.stops.Of(e.Name); stopped {
		return "a person stopped it: " + held.Reason, nil
	}
	if e.Kind != capability.KindTool && e.Kind != capability.KindMCP {
		return "", nil
	}
	if e.SpecOnly {
		ways, err := u.cur.Capabilities.Related(index.Implements, e.Name)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(ways, func(way index.Entry) bool { return way.Status.Runs() && !way.SpecOnly }) {
			return "it is specified and has no code yet", nil
		}
		return "", nil
	}
	known, err := u.engine.Health.Read(e.Name)
	if err != nil {
		return "", err
	}
	if h := known.Entry(e.Tree.String(), e.Version); !h.State.Runs() {
		return "it is in quarantine: " + h.Why, nil
	}
	return "", nil
}

// named finds a capability in force that the agent may use.
func (a *Agent) named(cur workspace.Session, name string) (capability.Capability, error) {
	if name == "" {
		return capability.Capability{}, refuse("find says which names there are", "no name is given")
	}
	known, err := cur.View.Named(name)
	if err != nil {
		return capability.Capability{}, err
	}
	if len(known) == 0 {
		next := "find searches by words; report says what is missing"
		if near, err := a.near(cur, name); err == nil && len(near) > 0 {
			next = "did you mean " + strings.Join(near, " or ") + "? " + next
		}
		return capability.Capability{}, refuse(next, "nothing in force is called %q", name)
	}
	c, diags, err := capability.Load(cur.View, known[0].Path)
	switch {
	case err != nil:
		return c, err
	case !c.Record.Agents.Admits(a.Name):
		return c, refuse("find another one", "%s is not for %s", c.Name, a.label())
	case diags.HasErrors():
		return c, refuse("tell the person: assent inspect "+c.Name+" says what to fix", "%s is damaged: %s", c.Name, diags[0].Message)
	}
	return c, nil
}

// label names the agent in a sentence.
func (a *Agent) label() string {
	if a.Name == "" {
		return "a client without an agent's name"
	}
	return "the agent " + a.Name
}

func joined[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}
