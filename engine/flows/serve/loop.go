package serve

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// passLimit ends a pass that hangs, so that another can start.
	passLimit = 15 * time.Minute
	// abandonAfter is how long a cancelled pass is waited for.
	abandonAfter = 5 * time.Second
	// mostQuiet bounds how many times the settling time a stream of hints can put a
	// pass off.
	mostQuiet = 5
)

// errAbandoned says that a pass was abandoned when the daemon ended. Its acknowledged work
// is kept, as after a crash.
var errAbandoned = errors.New("the pass was abandoned")

// Wake asks for a pass soon. It never waits: one that is asked for already will do.
func (d *Daemon) Wake() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// loop makes one pass after the other until ctx ends.
func (d *Daemon) loop(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		d.drain() // this pass answers all earlier requests
		out, err := d.pass(ctx)
		if failures++; err == nil {
			failures = 0
		}
		m := moment{now: time.Now(), next: out.Next, failures: failures, dice: rand.Float64()}
		d.rest(ctx, m.delay(d.Poll), failures > 0)
	}
}

// pass makes one pass, which outlives the end of ctx by d.Grace at most.
func (d *Daemon) pass(ctx context.Context) (Outcome, error) {
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), passLimit)
	defer cancel()
	began := time.Now()
	d.began(began)
	type result struct {
		out Outcome
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := d.Make(work)
		done <- result{out, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		d.Log.Info("stopping when this pass is done", "at_most", d.Grace.String())
		select {
		case r = <-done:
		case <-time.After(d.Grace):
			cancel()
			select {
			case r = <-done:
			case <-time.After(abandonAfter):
				r.err = errAbandoned
			}
		}
	}
	d.ended(r.out, r.err, began, time.Now())
	return r.out, r.err
}

// rest waits until the next pass is due: after delay or, unless it must back off, when new
// hints have settled.
func (d *Daemon) rest(ctx context.Context, delay time.Duration, backOff bool) {
	due := time.NewTimer(delay)
	defer due.Stop()
	wake := d.wake
	if backOff {
		wake = nil
	}
	select {
	case <-ctx.Done():
		return
	case <-due.C:
		return
	case <-wake:
	}
	quiet, latest := time.NewTimer(d.Settle), time.NewTimer(mostQuiet*d.Settle)
	defer quiet.Stop()
	defer latest.Stop()
	for {
		select {
		case <-d.wake:
			quiet.Reset(d.Settle)
			continue
		case <-ctx.Done():
		case <-due.C:
		case <-quiet.C:
		case <-latest.C:
		}
		return
	}
}

func (d *Daemon) drain() {
	select {
	case <-d.wake:
	default:
	}
}
