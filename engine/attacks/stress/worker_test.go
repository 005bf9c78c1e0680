package stress_test

import "sync"

// commons is shared by the workers: the proposals that all may work on, and counts of the results.
type commons struct {
	mu         sync.Mutex
	ids        []string
	done, told map[string]int
}

// worker is one of the processes that work side by side, one command after the
// other.
type worker struct {
	*campaign
	actor  actor
	shared *commons
}

// work takes a proposal through its life, with other workers' acts in between.
func (w *worker) work() {
	x, err := w.actor.proposal(pick(w.actor.rand, []string{"skill-00000000", name("skill", w.actor.rand)}))
	if err != nil {
		w.Error(err)
		return
	}
	id := w.try(x)
	if id == "" {
		return
	}
	w.publish(id)
	w.try(w.actor.about("review", id))
	w.meddle()
	if w.try(w.actor.about("merge", id)) == "" || w.actor.rand.IntN(3) > 0 {
		return
	}
	undo := w.try(w.actor.about("undo", id))
	if undo == "" {
		return
	}
	w.publish(undo)
	w.try(w.actor.about("review", undo))
	w.try(w.actor.about("merge", undo))
}

// meddle does something with a proposal that others work on.
func (w *worker) meddle() {
	w.shared.mu.Lock()
	id := pick(w.actor.rand, w.shared.ids)
	w.shared.mu.Unlock()
	w.try(w.actor.about(pick(w.actor.rand, []string{"merge", "merge", "comment", "comment", "review", "withdraw", "rebase", "undo"}), id))
}

func (w *worker) publish(id string) {
	w.shared.mu.Lock()
	defer w.shared.mu.Unlock()
	w.shared.ids = append(w.shared.ids, id)
}

// try runs an act, and again each time that another process was faster. It returns the proposal
// that it is about, empty if the act was not allowed.
func (w *worker) try(x act) string {
	for range 5 {
		o, err := w.place.run(w.Context(), x.command)
		if err == nil {
			var facts []fact
			if facts, err = x.acknowledged(o); o.exit == 0 && err == nil {
				w.ledger.add(facts...)
				w.shared.count(x.kind, "")
				if x.on == "" || x.kind == "undo" {
					return facts[0].on
				}
				return x.on
			}
		}
		if err != nil {
			w.Error(err)
			return ""
		}
		why := reason(o)
		w.shared.count(x.kind, why)
		if why == "" {
			w.Errorf("no reason that is allowed: %s", o)
		}
		if why != "stale" && why != "locked" && why != "contended" {
			return ""
		}
	}
	return ""
}

func (c *commons) count(kind, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done, c.told = map[string]int{}, map[string]int{}
	}
	if why == "" {
		c.done[kind]++
		return
	}
	c.told[kind+", "+why]++
}
