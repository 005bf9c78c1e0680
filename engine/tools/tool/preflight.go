package tool

import (
	"context"
	"time"
)

const (
	// lately is how long ago a capability was tested or used that a preflight does not test again.
	lately = 24 * time.Hour
	// preflightTime bounds the smoke tests of a preflight, preflightRounds how often its link is made again.
	preflightTime   = 30 * time.Second
	preflightRounds = 3
)

// Tested says how many smoke tests of a linked capability ran, and why it, or they, cannot be used.
type Tested struct {
	Name  string `json:"name"`
	Cases int    `json:"cases"`
	Why   string `json:"why,omitempty"`
}

// Preflights runs the smoke tests of the tools and servers that link names, each once, and calls link again
// while some of them went into quarantine, turned.
func Preflights(ctx context.Context, e *Engine, link func() (names []string, err error)) (ran []Tested, turned []Turned, err error) {
	e.Turned = func(t Turned) { turned = append(turned, t) }
	bounded, stop := context.WithTimeout(ctx, preflightTime)
	defer stop()
	tested := map[string]bool{}
	for round := 0; ; round++ {
		names, err := link()
		if err != nil || round == preflightRounds {
			return ran, turned, err
		}
		before := len(turned)
		for _, name := range names {
			if tested[name] {
				continue
			}
			tested[name] = true
			t := Tested{Name: name}
			cases, err := preflight(bounded, e, name, e.Now().Add(-lately))
			if t.Cases = cases; err != nil {
				t.Why = err.Error()
			}
			if cases > 0 || err != nil {
				ran = append(ran, t)
			}
		}
		if len(turned) == before {
			return ran, turned, nil
		}
	}
}

// preflight runs the smoke tests of a capability that was neither tested nor used here since a time, and
// records the result. ran is how many cases it ran; the error says why nothing may call it now.
func preflight(ctx context.Context, e *Engine, name string, since time.Time) (ran int, err error) {
	j, err := permit(e, Call{Name: name}, 0)
	last := j.health.Since
	for _, at := range []time.Time{j.health.Checked, j.health.Used} {
		if at.After(last) {
			last = at
		}
	}
	if err != nil || last.After(since) {
		return 0, err
	}
	return smoked(ctx, e, &j)
}
