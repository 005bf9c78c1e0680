package notify

import (
	"cmp"
	"context"
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
	keys     []string
	to       notice.Target
}

// atOnce limits the number of concurrent deliveries.
const atOnce = 8

// Tell sends each target its new notices and retries failed ones. Of several processes with
// the same notices, one sends each. The error is about the memory; in that case nothing is
// sent. With dry, nothing is sent or claimed.
func (b Box) Tell(ctx context.Context, targets []notice.Target, notices []notice.Notice, dry bool) ([]Delivery, error) {
	var due []Delivery
	claim := func(m memory) { due = b.claim(m, targets, notices) }
	if dry {
		m, err := b.read()
		if err == nil {
			claim(m)
		}
		return due, err
	}
	if m, err := b.read(); err != nil || len(b.claim(m, targets, notices)) == 0 {
		return nil, err // write nothing if nothing is due
	}
	if err := b.change(ctx, claim); err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range due {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := Send(ctx, due[i].to, due[i].Notice); err != nil {
				due[i].Error = err.Error()
			}
		})
	}
	all.Wait()
	return due, b.change(context.WithoutCancel(ctx), func(m memory) { b.settle(m, due) })
}

// claim returns the due deliveries and marks them as in progress.
func (b Box) claim(m memory, targets []notice.Target, notices []notice.Notice) []Delivery {
	var due []Delivery
	for _, t := range targets {
		for _, n := range notices {
			if !t.Wants(n) {
				continue
			}
			if n, ok := n.Only(t, func(key string) bool { return b.fresh(m, key) }); ok {
				due = append(due, Delivery{Target: t.Name, Notice: n, Attempts: 1, keys: n.Keys(t), to: t})
			}
		}
		due = append(due, b.again(m, t)...)
	}
	for _, d := range due {
		for _, key := range d.keys {
			m.Entries[key] = d.entry(claimed, b.Now().UTC())
		}
	}
	return due
}

// fresh reports whether no process has sent this or is sending it.
func (b Box) fresh(m memory, key string) bool {
	e, known := m.Entries[key]
	return !known || e.State == claimed && b.Now().Sub(e.At) > abandoned
}

// again lists the failed notices of a target that may be retried now.
func (b Box) again(m memory, t notice.Target) []Delivery {
	var out []Delivery
	for key, e := range m.Entries {
		if e.State != failed || e.Target != t.Name || e.Due == nil || e.Attempts >= maxAttempts || b.Now().Before(e.At.Add(backoff(e.Attempts))) {
			continue
		}
		out = append(out, Delivery{Target: t.Name, Notice: *e.Due, Attempts: e.Attempts + 1, keys: []string{key}, to: t})
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
					e.Due = &n
				}
			}
			m.Entries[key] = e
		}
	}
}

func (d Delivery) entry(state string, at time.Time) entry {
	return entry{
		State: state, Target: d.Target, Workspace: d.Notice.Workspace, Proposal: d.Notice.Proposal, Event: d.Notice.Event,
		At: at, Attempts: d.Attempts,
	}
}
