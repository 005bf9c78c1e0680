package stress_test

import (
	"slices"
	"sync"
)

// fact is acknowledged by a process: it printed so and ended with 0.
type fact struct {
	// kind is opened, review, comment, closed, pushed, merged (of a proposal), moved
	// (of any ref) or committed (to a branch).
	kind string
	// on is the proposal, or the full name of the ref.
	on string
	// text occurs in the event.
	text string
	// old and new are commits: the ref moved from old to new, or new is the merge or commit. An
	// empty old means that the ref was created.
	old, new string
	// file is a path, and blob its content since then, in the merge or the head.
	file, blob string
}

// ledger holds the facts acknowledged so far, in order.
type ledger struct {
	mu    sync.Mutex
	facts []fact
}

func (l *ledger) add(facts ...fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts = append(l.facts, facts...)
}

func (l *ledger) all() []fact {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.facts)
}
