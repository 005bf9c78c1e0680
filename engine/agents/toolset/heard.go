package toolset

import (
	"context"

	"github.com/assent-dev/assent/engine/registry/gaps"
	"github.com/assent-dev/assent/engine/tools/answers"
)

// Heard is a gap that was heard in the agent's session, with what serves it already.
type Heard struct {
	gaps.Gap
	answers.Answer
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
		out = append(out, Heard{g, answer})
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
