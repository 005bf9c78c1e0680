package notify

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/flows/notice"
)

// Delivery is one notice for one target, with its outcome.
type Delivery struct {
	Target string        `json:"target"`
	Notice notice.Notice `json:"notice"`
	// Error is empty if the target accepted it.
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts"`
	// Held is set if it was not tried, because the target took none of those before it.
	Held bool `json:"held,omitempty"`
	keys []string
	to   notice.Target
}

// How has the options of one delivery of notices.
type How struct {
	// Dry sends nothing and claims nothing.
	Dry bool
	// Now tries failing targets at once, instead of when their next try is due.
	Now bool
}

const (
	// atOnce limits the number of concurrent deliveries.
	atOnce = 8
	// probes is the number of deliveries to one target that may fail before the others are held. It is not
	// one, because a target may refuse a single notice for good.
	probes = 2
)

// Tell sends each target its new notices and retries failed ones. Of several processes with
// the same notices, one sends each. A target that takes nothing is tried again after a delay that grows
// up to an hour; until then its notices are kept. The error is about the memory; in that case nothing is
// sent.
func (b Box) Tell(ctx context.Context, targets []notice.Target, notices []notice.Notice, how How) ([]Delivery, error) {
	var due []Delivery
	claim := func(m memory) { due = b.claim(m, targets, notices, how.Now) }
	if how.Dry {
		m, err := b.read()
		if err == nil {
			claim(m)
		}
		return due, err
	}
	if m, err := b.read(); err != nil || len(b.claim(m, targets, notices, how.Now)) == 0 {
		return nil, err // write nothing if nothing is due
	}
	if err := b.change(ctx, claim); err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for of := range chunksOf(due) {
		all.Go(func() { deliver(ctx, of, slots) })
	}
	all.Wait()
	return due, b.change(context.WithoutCancel(ctx), func(m memory) { b.settle(m, due) })
}

// chunksOf yields the deliveries to each target, which follow one another.
func chunksOf(due []Delivery) iter.Seq[[]Delivery] {
	return func(yield func([]Delivery) bool) {
		for from := 0; from < len(due); {
			to := from
			for to < len(due) && due[to].Target == due[from].Target {
				to++
			}
			if !yield(due[from:to]) {
				return
			}
			from = to
		}
	}
}

// deliver sends the notices of one target: one after the other until it takes one, then the others
// side by side. If it takes none of the first, the others are held.
func deliver(ctx context.Context, due []Delivery, slots chan struct{}) {
	send := func(d *Delivery) bool {
		slots <- struct{}{}
		defer func() { <-slots }()
		err := Send(ctx, d.to, d.Notice)
		if err != nil {
			d.Error = err.Error()
		}
		return err == nil
	}
	for i := range due {
		switch {
		case due[i].Held:
		case i == probes:
			for j := i; j < len(due); j++ {
				due[j].Held, due[j].Error, due[j].Attempts = true, due[i-1].Error, due[j].Attempts-1
			}
			return
		case send(&due[i]):
			var rest sync.WaitGroup
			for j := i + 1; j < len(due); j++ {
				rest.Go(func() { send(&due[j]) })
			}
			rest.Wait()
			return
		}
	}
}

// claim returns the due deliveries, those of one target together, and marks them as in progress.
func (b Box) claim(m memory, targets []notice.Target, notices []notice.Notice, now bool) []Delivery {
	var due []Delivery
	for _, t := range targets {
		f, fails := m.Failing[t.Name]
		held := fails && !now && b.Now().Before(f.next())
		var of []Delivery
		if !held {
			of = b.again(m, t, fails || now)
		}
		for _, n := range notices {
			if !t.Wants(n) {
				continue
			}
			n, ok := n.Only(t, func(key string) bool {
				return b.fresh(m, key) && !slices.ContainsFunc(of, func(d Delivery) bool { return slices.Contains(d.keys, key) })
			})
			switch {
			case ok && held:
				of = append(of, Delivery{Target: t.Name, Notice: n, Error: f.Error, Held: true, keys: n.Keys(t), to: t})
			case ok:
				of = append(of, Delivery{Target: t.Name, Notice: n, Attempts: 1, keys: n.Keys(t), to: t})
			}
		}
		// The least tried come first: a notice that is refused for good holds up no other.
		order.Stable(of, func(a, b Delivery) int {
			return cmp.Or(cmp.Compare(a.Attempts, b.Attempts), a.Notice.At.Compare(b.Notice.At))
		})
		due = append(due, of...)
	}
	for _, d := range due {
		for i, key := range d.keys {
			e := d.entry(claimed, b.Now().UTC())
			if n := d.Notice; i == 0 {
				e.Due, e.Round = &n, n.Round // if this process is killed, the notice is sent even if nothing waits then
			}
			m.Entries[key] = e
		}
	}
	return due
}

// fresh reports whether no process has sent this or is sending it.
func (b Box) fresh(m memory, key string) bool {
	e, known := m.Entries[key]
	return !known || b.left(e)
}

// left reports whether the process that claimed an entry was killed.
func (b Box) left(e entry) bool { return e.State == claimed && b.Now().Sub(e.At) > abandoned }

// again lists the notices of a target that were not delivered and may be tried now; with all, those
// whose own delay is not over too.
func (b Box) again(m memory, t notice.Target, all bool) []Delivery {
	var out []Delivery
	for key, e := range m.Entries {
		if e.Target != t.Name || e.Due == nil || !b.left(e) && (e.State != failed || !all && b.Now().Before(e.At.Add(backoff(e.Attempts)))) {
			continue
		}
		d := Delivery{Target: t.Name, Notice: *e.Due, Attempts: e.Attempts + 1, to: t}
		d.Notice.Round = e.Round
		if d.keys = d.Notice.Keys(t); d.keys[0] != key { // recorded without its round, by an earlier version
			d.keys = []string{key}
		}
		out = append(out, d)
	}
	order.Sort(out, func(a, b Delivery) int { return cmp.Compare(a.keys[0], b.keys[0]) })
	return out
}

// settle records the outcomes of deliveries. A failure for several people is sent to all of
// them again, once.
func (b Box) settle(m memory, done []Delivery) {
	for _, d := range done {
		for i, key := range d.keys {
			e := d.entry(told, b.Now().UTC())
			if d.Error != "" {
				e.State, e.Error = failed, d.Error
				if n := d.Notice; i == 0 {
					e.Due, e.Round = &n, n.Round
				}
			}
			m.Entries[key] = e
		}
	}
	for of := range chunksOf(done) {
		b.count(m, of)
	}
}

// count records whether a target fails: it does if it took nothing of what was tried.
func (b Box) count(m memory, of []Delivery) {
	tried := slices.DeleteFunc(slices.Clone(of), func(d Delivery) bool { return d.Held })
	if len(tried) == 0 {
		return
	}
	if slices.ContainsFunc(tried, func(d Delivery) bool { return d.Error == "" }) {
		delete(m.Failing, of[0].Target)
		return
	}
	f := m.Failing[of[0].Target]
	if f.Tries == 0 {
		f.Since = b.Now().UTC()
	}
	f.Tries, f.At, f.Error = f.Tries+1, b.Now().UTC(), tried[len(tried)-1].Error
	m.Failing[of[0].Target] = f
}

func (d Delivery) entry(state string, at time.Time) entry {
	return entry{
		State: state, Target: d.Target, Workspace: d.Notice.Workspace, Proposal: d.Notice.Proposal, Event: d.Notice.Event,
		At: at, Attempts: d.Attempts,
	}
}
