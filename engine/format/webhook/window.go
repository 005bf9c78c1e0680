package webhook

import "time"

// Window remembers recent deliveries in order to detect repetitions. It is bounded by
// number and age; the oldest is forgotten first. Only deliveries with a valid signature
// belong in it, so that others cannot make it forget. It is not safe for concurrent use.
type Window struct {
	most  int
	keep  time.Duration
	seen  map[any]bool
	order []remembered
}

type remembered struct {
	Delivery
	at time.Time
}

// NewWindow returns a window for at most most deliveries, each kept for the duration
// keep.
func NewWindow(most int, keep time.Duration) *Window {
	return &Window{most: most, keep: keep, seen: map[any]bool{}}
}

// First reports whether d is new at that time, and remembers it if so. A delivery is
// known by its identity or its body: the identity is not signed, so a replay may have
// another one.
func (w *Window) First(d Delivery, at time.Time) bool {
	for len(w.order) > 0 && at.Sub(w.order[0].at) > w.keep {
		w.forget()
	}
	if w.seen[d.ID] || w.seen[d.Body] {
		return false
	}
	if len(w.order) == w.most {
		w.forget()
	}
	w.seen[d.ID], w.seen[d.Body] = true, true
	w.order = append(w.order, remembered{d, at})
	return true
}

func (w *Window) forget() {
	delete(w.seen, w.order[0].ID)
	delete(w.seen, w.order[0].Body)
	w.order = w.order[1:]
}
