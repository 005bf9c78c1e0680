package serve

import (
	"slices"
	"sync"
)

// readers are the deliveries that are being read, the oldest first. A sender needs no secret to
// take a place, so no delivery may keep others out: when all places are taken, the oldest ends.
type readers struct {
	mu     sync.Mutex
	places int
	all    []*reader
}

// reader is one delivery in its place.
type reader struct {
	// stop makes its read fail. It is called under the lock of the readers, before the reader leaves.
	stop  func()
	ended bool
}

// enter takes a place, and ends the oldest delivery if none is free.
func (r *readers) enter(stop func()) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == r.places {
		r.all[0].ended = true
		r.all[0].stop()
		r.all = r.all[1:]
	}
	it := &reader{stop: stop}
	r.all = append(r.all, it)
	return it
}

// leave frees a place, and reports whether the delivery had to give it up before.
func (r *readers) leave(it *reader) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.DeleteFunc(r.all, func(other *reader) bool { return other == it })
	return it.ended
}
