package toolset

import (
	"context"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
)

// Heard is a gap that was heard in the agent's session, with what serves it already.
type Heard struct {
	gaps.Gap
	answers.Answer
	// Off: reporting it would start nothing.
	Off bool `json:"-"`
}

// Served says what serves a gap, for the model.
func (g Heard) Served() string {
	switch a := g.Answer; {
	case a.Mends:
		return a.Capability + ` would serve it, and is in quarantine. Report it once with the tool report, and others mend it: {"capability": "` + a.Capability + `", "goal": "what shall be possible"}.`
	case a.Status == answers.InForce && a.Unusable != "":
		return a.Capability + " would serve it, and cannot be used now."
	case a.Status == answers.InForce:
		return a.Capability + " is in force: load or call it."
	case a.Status == answers.Open && a.Proposal == "":
		return "it is being built already."
	case a.Status == answers.Open:
		return "the proposal " + a.Proposal + " is open; wait for it."
	case a.Status == answers.Archived:
		return a.Capability + " was archived; tell the person that assent undo " + names.ShellWord(a.Proposal) + " restores it."
	case a.Status == answers.Rejected:
		return "the proposal " + a.Proposal + " was rejected by " + a.By + "; read why with the tool status before you propose it again."
	}
	if g.Off {
		return "nothing serves it, and no work is started for it in this workspace. Go on without it, or propose it with the tool propose."
	}
	return `nothing serves it. Report it once with the tool report: {"capability": "` + g.Name + `", "goal": "what shall be possible"}.`
}

// maxHeard bounds how many gaps of one turn are answered.
const maxHeard = 3

// Hear answers the gaps that hear finds by the rules in force. Each gap is answered once in a connection.
func Hear(ctx context.Context, a *Agent, hear func(gaps.Rules) ([]gaps.Gap, error)) ([]Heard, error) {
	cur, err := a.Look(ctx)
	if err != nil {
		return nil, err
	}
	found, err := hear(cur.Policies.Gaps)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	use, err := a.uses(ctx, cur)
	if err != nil {
		return nil, err
	}
	var out []Heard
	finder := answers.New(use.Here, a.Name)
	for _, g := range found {
		if len(out) == maxHeard || !first(a, string(g.Type)+" "+g.Name) {
			continue
		}
		answer, err := finder.Answer(ctx, g)
		if err != nil {
			return nil, err
		}
		out = append(out, Heard{g, answer, cur.Policies.Gaps.Off})
	}
	return out, nil
}

// maxAnswered bounds how many gaps and commands of one connection are answered.
const maxAnswered = 50

// first reports whether something was not answered before in this connection.
func first(a *Agent, key string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.answered[key] || len(a.answered) == maxAnswered {
		return false
	}
	if a.answered == nil {
		a.answered = map[string]bool{}
	}
	a.answered[key] = true
	return true
}
