package webhook

import "time"

// Window remembers the deliveries that came last, so that one which comes again is
// known. What is remembered is bounded by number and by age; the oldest is forgotten
// first. Only deliveries with a right signature belong in it: nobody else can make it
// forget. It is not safe for use by several goroutines at once.
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

// NewWindow remembers at most that many deliveries, each for that long.
func NewWindow(most int, keep time.Duration) *Window {
	return &Window{most: most, keep: keep, seen: map[any]bool{}}
}

// First reports whether d is new at that time, and remembers it if so. A delivery is
// known by its identity or by its body: the identity is not signed, so that whoever
// repeats what they overheard can give it another one.
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
