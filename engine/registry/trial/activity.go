package trial

import (
	"maps"
	"slices"
	"time"
)

// Activity says when capabilities were used, and how many trials there are to tell.
type Activity struct {
	// Used is the day of the last trial in which a capability was loaded or followed, by its folded
	// name. It is by any writer: an unknown one can only make a capability look used.
	Used map[string]time.Time
	// Began is the day of the first trial of known writers, zero for none. Trials counts those of known
	// writers since the day asked for, and Writers are these, in order.
	Began   time.Time
	Trials  int64
	Writers []Writer
}

// Activity sums up a book. since is the day from which trials and writers are counted.
func (b *Book) Activity(t Trust, since time.Time) Activity {
	out := Activity{Used: map[string]time.Time{}}
	recording := map[Writer]bool{}
	for w, counts := range b.All() {
		for k, n := range counts {
			at := k.Day.Time()
			if (k.Level == Loaded || k.Level == Followed) && at.After(out.Used[k.Capability]) {
				out.Used[k.Capability] = at
			}
			if !t.known(w) || !k.Level.IsUse() {
				continue
			}
			if out.Began.IsZero() || at.Before(out.Began) {
				out.Began = at
			}
			if !at.Before(since) {
				out.Trials += n.Trials
				recording[w] = true
			}
		}
	}
	out.Writers = slices.Sorted(maps.Keys(recording))
	return out
}
