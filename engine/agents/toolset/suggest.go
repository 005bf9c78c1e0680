package toolset

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/index"
	"github.com/assent-dev/assent/engine/registry/link"
	"github.com/assent-dev/assent/engine/registry/trial"
	"github.com/assent-dev/assent/engine/tools/discover"
	"github.com/assent-dev/assent/engine/tools/linker"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/triallog"
)

const (
	// maxPrompt is the part of a prompt that is linked, in bytes: the rest is mostly pasted text. It
	// bounds the words of a search, too: the cost of one grows with them.
	maxPrompt = 16 << 10
	// leastWords: a shorter prompt, such as a thanks, is no task.
	leastWords = 3
	// likely is the share of a step's words that a suggestion answers. It is above linker.Enough,
	// because nobody asked for suggestions.
	likely = 0.5
	// perStep is how many capabilities are suggested for a step.
	perStep = 2
)

// Suggest returns the capabilities in force that a prompt would be linked with, the best
// first, and records that they were listed.
func (a *Agent) Suggest(ctx context.Context, prompt string) ([]Match, error) {
	cur, use, linked, err := suggested(ctx, a, prompt)
	if err != nil {
		return nil, err
	}
	var out []Match
	var listed []trial.Observation
	for _, l := range linked {
		if !l.Visible {
			continue
		}
		c, _, err := capability.Glance(cur.View, capability.Folder{Name: l.Name, Path: l.Path})
		if err != nil {
			return nil, err
		}
		m, err := use.match(index.Entry{Folder: c.Folder, Kind: c.Kind, Description: c.Description}, discover.Condition{})
		if err != nil {
			return nil, err
		}
		out = append(out, m)
		listed = append(listed, trial.Observation{Level: trial.Listed, Capability: l.Name, Version: l.Version, Blob: l.Blob, Tokens: int64(l.Listed)})
	}
	a.observed(ctx, cur, a.Name, listed...)
	return out, nil
}

// Preflight runs the smoke tests of the tools and servers that Suggest would return for a prompt, as assent link
// does. What fails goes into quarantine, so that Suggest returns the next that fits.
func Preflight(ctx context.Context, a *Agent, prompt string) ([]tool.Tested, error) {
	cur, err := a.Look(ctx)
	if err != nil {
		return nil, err
	}
	engine, err := a.Engine(cur, a.Name, a.Session)
	if err != nil {
		return nil, err
	}
	ran, turned, err := tool.Preflights(ctx, engine, func() ([]string, error) {
		_, _, linked, err := suggested(ctx, a, prompt)
		return linker.Called(linked), err
	})
	if len(turned) > 0 {
		a.Called(ctx, cur, a.Name, tool.Result{}, turned)
	}
	return ran, err
}

// suggested links a prompt, and leaves out what answers too little of it.
func suggested(ctx context.Context, a *Agent, prompt string) (cur workspace.Session, use uses, out []link.Linked, err error) {
	if len(prompt) > maxPrompt {
		prompt = strings.ToValidUTF8(prompt[:maxPrompt], "")
	}
	if len(strings.Fields(prompt)) < leastWords || strings.HasPrefix(prompt, "/") { // a command of the client
		return cur, use, nil, nil
	}
	if cur, err = a.Look(ctx); err != nil {
		return cur, use, nil, err
	}
	if use, err = a.uses(ctx, cur); err != nil {
		return cur, use, nil, err
	}
	a.mu.Lock()
	linked, err := use.linked(ctx, &a.trials, link.Question{Agent: a.Name, Mission: prompt, Each: perStep})
	a.mu.Unlock()
	for _, l := range linked {
		if !l.Visible || l.For != "" || l.Share >= likely {
			out = append(out, l)
		}
	}
	return cur, use, out, err
}

// Callable returns the tools and servers in force that the agent can call by one of these names. Each is
// returned once in a connection.
func Callable(ctx context.Context, a *Agent, called []string) ([]Match, error) {
	cur, err := a.Look(ctx)
	if err != nil {
		return nil, err
	}
	var out []Match
	for _, name := range called {
		known, err := cur.View.Named(name)
		if err != nil {
			return nil, err
		}
		if len(known) == 0 {
			continue
		}
		c, _, err := capability.Glance(cur.View, known[0])
		if err != nil {
			return nil, err
		}
		r := c.Record
		if r.Run != nil && (c.Kind == capability.KindTool || c.Kind == capability.KindMCP) && r.Status.Runs() && r.Agents.Admits(a.Name) && first(a, "call "+c.Name) {
			out = append(out, Match{Name: c.Name, Kind: c.Kind, Description: c.Description, Use: use(c.Kind, c.Name), Takes: r.Signature()})
		}
	}
	return out, nil
}

// linked returns what a mission would be linked with. trials is what an earlier call has read.
func (u uses) linked(ctx context.Context, trials *triallog.Reading, q link.Question) ([]link.Linked, error) {
	if err := workspace.TrialsOf(u.Session).Refresh(trials); err != nil {
		return nil, err
	}
	answer, err := linker.Run(ctx, u.Here, trials, q)
	if errors.Is(err, linker.ErrNothingAsked) {
		return nil, nil
	}
	return answer.Linked, err
}
