package toolset

import (
	"context"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/archive"
)

// FindInput is a search.
type FindInput struct {
	Words    string          `json:"words"`
	Kind     capability.Kind `json:"kind,omitempty"`
	Category string          `json:"category,omitempty"`
	Tags     []string        `json:"tags,omitempty"`
	Mastery  float64         `json:"min_mastery,omitempty"`
	Limit    int             `json:"limit,omitempty"`
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
	// Archived is an archived capability that fits better than all that can be used, and how to
	// restore it.
	Archived string `json:"archived,omitempty"`
}

const (
	// defaultMatches is how many matches are listed unless the agent asks for another number,
	// maxMatches the most.
	defaultMatches = 8
	maxMatches     = 50
)

// Find searches the capabilities in force that the agent may use. Those that no call would start
// come last.
func (a *Agent) Find(ctx context.Context, in FindInput) (FindOutput, error) {
	out := FindOutput{Matches: []Match{}}
	switch {
	case strings.TrimSpace(in.Words) == "":
		return out, refuse("call find with words such as {\"words\": \"csv table\"}", "find needs words to search for")
	case len(in.Words)+len(in.Category)+len(strings.Join(in.Tags, "")) > maxPrompt:
		return out, refuse("search for fewer words", "a search has at most %d bytes", maxPrompt)
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
	use, err := a.uses(ctx, cur)
	if err != nil {
		return out, err
	}
	r := discover.Request{
		Words: in.Words, Kind: in.Kind, Category: in.Category, Tags: in.Tags, Mastery: in.Mastery, Agent: &a.Name, InUse: true, Limit: in.Limit,
	}
	found, _, err := use.WithEmbeddings(ctx).Find(ctx, r)
	if err != nil {
		return out, err
	}
	for _, f := range found {
		m, err := use.match(f.Entry, f.Condition)
		if err != nil {
			return out, err
		}
		out.Matches = append(out.Matches, m)
	}
	if len(found) == 0 {
		if out.Near, err = use.Near(r); err != nil {
			return out, err
		}
	}
	out.Archived, err = use.archived(ctx, r)
	return out, err
}

// archived names an archived capability that fits better than all that can be used; "" for none.
func (u uses) archived(ctx context.Context, r discover.Request) (string, error) {
	old, err := u.Archive(ctx, r.Words)
	if err != nil {
		return "", err
	}
	best, err := old.Best(r, linker.Enough)
	if err != nil || best == nil {
		return "", err
	}
	return best.Name + " fits better and was archived; " + restoring(best.Record), nil
}

// restoring says how a person restores an archived capability.
func restoring(r archive.Record) string {
	return "tell the person that assent undo " + names.ShellWord(r.Proposal) + " proposes to restore it"
}

// mayUse reports whether the agent may use a capability: it is active or deprecated, and the
// record does not keep it for others.
func (a *Agent) mayUse(e index.Entry) bool { return e.Status.Runs() && e.Agents.Admits(a.Name) }

// uses says what can be done with a capability at this moment.
type uses struct{ discover.Here }

func (a *Agent) uses(ctx context.Context, cur workspace.Session) (uses, error) {
	here, err := discover.Open(ctx, cur)
	return uses{here}, err
}

// unusable is the prefix of Use for a capability that cannot be used now.
const unusable = "not now: "

func (u uses) match(e index.Entry, now discover.Condition) (Match, error) {
	m := Match{Name: e.Name, Kind: e.Kind, Description: e.Description}
	if e.Kind == capability.KindTool {
		c, _, err := capability.Glance(u.Session.View, e.Folder)
		if err != nil {
			return m, err
		}
		m.Takes = c.Record.Signature()
	}
	if m.Use = use(e.Kind, e.Name); now.Unusable != "" {
		m.Use = unusable + now.Unusable
	}
	return m, nil
}

// use is the next step with a capability.
func use(k capability.Kind, name string) string {
	switch k {
	case capability.KindTool:
		return "call"
	case capability.KindMCP:
		return "load lists its tools; call " + names.Callable(name) + "__TOOL"
	}
	return "load"
}

// named finds a capability in force that the agent may use.
func (a *Agent) named(cur workspace.Session, name string) (capability.Capability, error) {
	switch {
	case name == "":
		return capability.Capability{}, refuse("find says which names there are", "no name is given")
	case len(name) > maxPrompt: // similar names are searched for by its words
		return capability.Capability{}, refuse("find says which names there are", "no name has %d bytes", len(name))
	}
	known, err := cur.View.Named(name)
	if err != nil {
		return capability.Capability{}, err
	}
	if len(known) == 0 {
		next := "find searches by words; report says what is missing"
		if near, err := (discover.Here{Session: cur}).Near(discover.Request{Words: name, Agent: &a.Name, InUse: true}); err == nil && len(near) > 0 {
			next = "did you mean " + strings.Join(near, " or ") + "? " + next
		}
		if r, archived, err := archive.Of(cur, name); err == nil && archived {
			next = restoring(r) + "; or " + next
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
		return c, refuse("tell the person: assent inspect "+names.ShellWord(c.Name)+" says what to fix", "%s is damaged: %s", c.Name, diags[0].Message)
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
