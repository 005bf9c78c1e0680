package runlog

import (
	"sync"

	"github.com/assent-dev/assent/engine/git/journal"
)

// Memory keeps the events of the run that was read last, for a process that reads one run again and
// again: each read takes only what is new. An event is named by its content, so nothing remembered can be
// outdated; the end of the journal is looked up each time.
type Memory struct {
	mu     sync.Mutex
	id     string
	events []journal.Event
}

// maxRemembered bounds the events that are kept.
const maxRemembered = 4000

// Remembering returns the same log, whose reads use m.
func (l Log) Remembering(m *Memory) Log {
	l.memory = m
	return l
}

func (m *Memory) of(id string) []journal.Event {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.id != id {
		return nil
	}
	return m.events
}

func (m *Memory) keep(id string, events []journal.Event) {
	if m == nil || len(events) > maxRemembered {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.id, m.events = id, events
}
