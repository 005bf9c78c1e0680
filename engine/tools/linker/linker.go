package linker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/resolution"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

// Enough is the least share of a step's words that counts as serving it. bench/judgement measures
// how well it separates.
const Enough = 0.25

const (
	// perStep is the number of answers that are considered for each step.
	perStep = 12
	// perToken is the assumed number of bytes in a token.
	perToken = 4
)

// Answer is a link with its inputs.
type Answer struct {
	Steps []string
	// Rest are the steps after those, which were not linked.
	Rest []string
	// Context are the given tags, and those of the mission's words that capabilities have.
	Context []string
	link.Link
	Lock link.Lock
	// Everything is the size in tokens of the names and descriptions of all that the agent may use.
	Everything int
	Problems   []error
}

// Run links a mission.
func Run(ctx context.Context, here discover.Here, trials *triallog.Reading, q link.Question) (Answer, error) {
	l := linker{here: here, q: q, trials: trials, trust: trials.Trust(here.Session.Policies.Retention.Trials.Writers), read: map[string]link.Candidate{}}
	out := Answer{Problems: slices.Clone(trials.Problems)}
	out.Steps, out.Rest = link.Steps(q.Mission)
	if len(out.Steps) == 0 {
		return out, ErrNothingAsked
	}
	var err error
	if out.Everything, out.Context, err = l.survey(); err != nil {
		return out, err
	}
	l.tags = out.Context
	here.Prefetch(out.Steps...)
	var needs []link.Need
	for _, step := range out.Steps {
		need, err := l.need(step)
		if err != nil {
			return out, err
		}
		needs = append(needs, need)
	}
	out.Problems = append(out.Problems, here.Problems()...)
	if out.Link, err = link.Choose(needs, &l, link.Limits{Each: q.Each, Budget: q.Budget, Enough: Enough, Seed: q.ID, Model: q.Model}); err != nil {
		return out, err
	}
	policies, err := here.Session.View.Lookup("policies")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("read the policies in force: %w", err)
	}
	out.Lock = link.LockOf(q, policies.Hash.String(), out.Link)
	return out, nil
}

// ErrNothingAsked says that a mission has no words.
var ErrNothingAsked = errors.New("the mission has no words")

// Called are the names of the linked tools and servers, which a preflight tests.
func Called(all []link.Linked) (out []string) {
	for _, l := range all {
		if l.Kind == capability.KindTool || l.Kind == capability.KindMCP {
			out = append(out, l.Name)
		}
	}
	return out
}

type linker struct {
	here   discover.Here
	q      link.Question
	trials *triallog.Reading
	trust  trial.Trust
	tags   []string
	read   map[string]link.Candidate
}

// survey adds up the cost of everything, and collects the mission's tags.
func (l *linker) survey() (tokens int, tags []string, err error) {
	words := map[string]bool{}
	index.Words(l.q.Mission, func(word []byte) { words[string(word)] = true })
	said := map[string]bool{}
	for _, t := range l.q.Context {
		said[t] = true
	}
	all, err := l.here.Session.Capabilities.Entries(func(e index.Entry) bool { return e.Status.Runs() && l.admits(e.Agents) })
	for _, e := range all {
		tokens += listed(e)
		for _, t := range e.Tags {
			said[t] = said[t] || words[t]
		}
	}
	for t, is := range said {
		if is {
			tags = append(tags, t)
		}
	}
	slices.Sort(tags)
	return tokens, tags, err
}

func (l *linker) admits(a capability.Agents) bool { return l.q.Agent == "" || a.Admits(l.q.Agent) }

// listed is the size of name and description in a prompt.
func listed(e index.Entry) int { return tokensIn(len(e.Name) + len(e.Description)) }

func tokensIn(bytes int) int { return (bytes + perToken - 1) / perToken }

// query asks for the answers to one step.
func (l *linker) query(step string, limit int) index.Query {
	return index.Query{Words: step, Limit: limit, Admit: func(e index.Entry) bool { return l.admits(e.Agents) }}
}

// need searches one step. Unusable capabilities keep their place, to show which to repair.
func (l *linker) need(step string) (link.Need, error) {
	found, err := l.here.Search(l.query(step, perStep))
	if err != nil {
		return link.Need{}, fmt.Errorf("search for a step: %w", err)
	}
	out := link.Need{Step: step}
	for _, m := range found {
		c, err := l.candidate(m.Entry)
		if err != nil {
			return out, err
		}
		out.Found = append(out.Found, link.Found{Candidate: c, Share: m.Fit()})
	}
	return out, nil
}

// candidate reads one capability, once.
func (l *linker) candidate(e index.Entry) (link.Candidate, error) {
	if c, known := l.read[e.Path]; known {
		return c, nil
	}
	now, err := l.here.Condition(e)
	if err != nil && now.Unusable == "" {
		now.Unusable = "its health cannot be read: " + err.Error()
	}
	c, _, err := capability.Glance(l.here.Session.View, e.Folder)
	if err != nil {
		return link.Candidate{}, err
	}
	size := len(e.Name) + len(e.Description) + len(c.Skill.Body)
	if now.Called {
		schema, err := json.Marshal(c.Record.Input)
		if err != nil {
			return link.Candidate{}, fmt.Errorf("%s: read the schema: %w", e.Name, err)
		}
		size = len(e.Name) + len(e.Description) + len(schema)
	}
	s := l.trials.Book.Of(names.Fold(e.Name), e.Version, l.trust)
	out := link.Candidate{
		Name: e.Name, Kind: e.Kind, Version: e.Version, Path: e.Path, Blob: e.Tree.String(), Unusable: now.Unusable, Tokens: tokensIn(size), Listed: listed(e),
		Models: e.Models, Requires: e.Requires, Optional: c.Record.Requires.Optional, Resolution: resolution.Of(way(e.Name, s), l.tags), Rate: l.trials.Book.LinkRate(names.Fold(e.Name), e.Version, l.trust, l.q.Model),
	}
	if harmless(c.Record) {
		out.Explore = names.Fold(cmp.Or(c.Record.Implements, e.Name))
	}
	if !l.admits(e.Agents) {
		out.Unusable = cmp.Or(out.Unusable, "it is not for "+l.q.Agent)
	}
	l.read[e.Path] = out
	return out, nil
}

// harmless reports whether the sandbox lets a capability's code change nothing outside: a tool
// that declares no effect, reaches no host, gets no secret, writes no file and calls nothing else.
func harmless(r capability.Record) bool {
	n := r.Requires
	return r.Kind == capability.KindTool && r.Run != nil && !r.Run.Write && (r.Risk == "" || r.Risk == capability.RiskLow) &&
		len(r.SideEffects)+len(n.Capabilities)+len(n.Optional)+len(n.Secrets)+len(n.Hosts) == 0
}

// way converts the results of trials for resolution.
func way(name string, s trial.Standing) resolution.Way {
	w := resolution.Way{Name: name, All: tally(s.Tally), Contexts: map[string]resolution.Tally{}}
	for tag, t := range s.Tags {
		w.Contexts[tag] = tally(t)
	}
	return w
}

func tally(t trial.Tally) resolution.Tally {
	return resolution.Tally{Tried: int(math.Round(t.Tried())), Passed: int(math.Round(t.Successes))}
}

// Named implements link.World.
func (l *linker) Named(name string) (link.Candidate, bool, error) {
	at, err := l.here.Session.View.Named(name)
	if err != nil || len(at) == 0 {
		return link.Candidate{}, false, err
	}
	e, err := l.here.Entry(at[0])
	if err != nil {
		return link.Candidate{}, false, err
	}
	c, err := l.candidate(e)
	return c, true, err
}

// Applying implements link.World.
func (l *linker) Applying(name string) (out []link.Candidate, err error) {
	for _, r := range []index.Relation{index.AppliesTo, index.Enhances} {
		found, err := l.here.Session.Capabilities.Related(r, name)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if r == index.AppliesTo && e.Kind != capability.KindSkill || strings.EqualFold(e.Name, name) {
				continue
			}
			c, err := l.candidate(e)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// Variants implements link.World.
func (l *linker) Variants(name string) (out []link.Candidate, err error) {
	found, err := l.here.Session.Capabilities.Related(index.Implements, name)
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if e.Kind != capability.KindSkill || strings.EqualFold(e.Name, name) {
			continue
		}
		c, err := l.candidate(e)
		if err != nil {
			return nil, err
		}
		if len(c.Models) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}
