package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-dev/assent/engine/audit/exchange"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/workspace/run"
	"github.com/assent-dev/assent/engine/workspace/runlog"
)

// clock is a daemon without a listener, in a bubble with simulated time. Its passes are
// recorded with the second in which they began.
type clock struct {
	*Daemon
	began time.Time
	mu    sync.Mutex
	at    []int
}

func newClock(make func(ctx context.Context, n int) (Outcome, error)) *clock {
	c := &clock{began: time.Now()}
	c.Daemon = New(Settings{
		Make: func(ctx context.Context) (Outcome, error) {
			c.mu.Lock()
			c.at = append(c.at, int(time.Since(c.began).Seconds()))
			n := len(c.at)
			c.mu.Unlock()
			return make(ctx, n)
		},
		Poll: time.Hour, Settle: 2 * time.Second, Grace: 30 * time.Second, Log: slog.New(slog.DiscardHandler),
	})
	return c
}

// run runs the loop until then returns, and reports how long it took to end after that.
func (c *clock) run(t *testing.T, then func()) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { c.loop(ctx); close(ended) }()
	synctest.Wait()
	then()
	cancel()
	told := time.Now()
	<-ended
	return time.Since(told)
}

func fine(context.Context, int) (Outcome, error) { return Outcome{}, nil }

func after(d time.Duration) { time.Sleep(d); synctest.Wait() }

// A storm of hints makes one pass when it has settled, and at the latest after some
// time of it; a single one is not forgotten.
func TestHintsSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(fine)
		c.run(t, func() {
			after(9 * time.Second)
			for range 100 {
				c.Wake()
			}
			after(11 * time.Second) // 20 s
			for range 30 {
				c.Wake()
				after(1100 * time.Millisecond)
			}
			after(10 * time.Second) // 63 s
		})
		if want := []int{0, 11, 30, 41, 52}; !slices.Equal(c.at, want) {
			t.Errorf("passes at %v, want %v", c.at, want)
		}
	})
}

// Events during a pass are handled by the next one, and no two passes run at the same time.
func TestHintDuringPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := 0
		c := newClock(func(context.Context, int) (Outcome, error) {
			if running++; running > 1 {
				t.Error("two passes at once")
			}
			time.Sleep(10 * time.Second)
			running--
			return Outcome{}, nil
		})
		c.run(t, func() {
			after(5 * time.Second)
			c.Wake()
			c.Wake()
			after(time.Minute)
		})
		if want := []int{0, 12}; !slices.Equal(c.at, want) {
			t.Errorf("passes at %v, want %v", c.at, want)
		}
	})
}

// Failures are tried again later and later, whatever hints say; when one pass is
// good again, all is as before.
func TestBackOffAndRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(func(_ context.Context, n int) (Outcome, error) {
			if n <= 12 {
				return Outcome{}, errors.New("the remote is away")
			}
			return Outcome{}, nil
		})
		c.run(t, func() {
			for range 3600 {
				c.Wake()
				after(time.Second)
			}
			for i := 1; i < 12; i++ {
				gap, most := c.at[i]-c.at[i-1], int(min(lastRetry, firstRetry<<(i-1)).Seconds())
				if gap < most/2 || gap > most+1 {
					t.Errorf("try %d came %d s after the one before, which is not within %d s", i+1, gap, most)
				}
			}
			if got := c.health.at(time.Now()); !got.Ready || got.Failures != 0 {
				t.Errorf("%+v", got)
			}
		})
		if extra := len(c.at) - 12; extra < 100 {
			t.Errorf("%d passes after it recovered: hints are not followed", extra)
		}
	})
}

// A schedule comes before the poll.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(func(context.Context, int) (Outcome, error) {
			var out Outcome
			out.Next = time.Now().Truncate(15 * time.Minute).Add(15 * time.Minute)
			return out, nil
		})
		c.run(t, func() { after(46 * time.Minute) })
		if want := []int{0, 900, 1800, 2700}; !slices.Equal(c.at, want) {
			t.Errorf("passes at %v, want %v", c.at, want)
		}
	})
}

// A stopped daemon lets its pass finish, cancels it after the grace time, and abandons it
// if it does not end.
func TestStop(t *testing.T) {
	for name, c := range map[string]struct {
		pass func(ctx context.Context) error
		want time.Duration
		err  error
	}{
		"between passes": {func(context.Context) error { return nil }, 0, nil},
		"in a pass":      {func(context.Context) error { time.Sleep(25 * time.Second); return nil }, 15 * time.Second, nil},
		"in a long one":  {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 30 * time.Second, context.Canceled},
		"in a deaf one":  {func(context.Context) error { time.Sleep(time.Hour); return nil }, 35 * time.Second, errAbandoned},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said strings.Builder
				d := newClock(func(ctx context.Context, _ int) (Outcome, error) { return Outcome{}, c.pass(ctx) })
				d.Log = slog.New(slog.NewTextHandler(&said, nil))
				if took := d.run(t, func() { after(10 * time.Second) }); took != c.want {
					t.Errorf("it took %s, want %s", took, c.want)
				}
				if c.err != nil && !strings.Contains(said.String(), c.err.Error()) {
					t.Errorf("the log does not say %v:\n%s", c.err, &said)
				}
				if len(d.at) != 1 {
					t.Errorf("%d passes", len(d.at))
				}
				time.Sleep(2 * time.Hour) // the deaf one ends
			})
		})
	}
}

// A pass that hangs is ended, and another one is tried.
func TestPassHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(func(ctx context.Context, n int) (Outcome, error) {
			if n > 1 {
				return Outcome{}, nil
			}
			<-ctx.Done()
			return Outcome{}, fmt.Errorf("fetch: %w", ctx.Err())
		})
		c.run(t, func() { after(passLimit + 2*time.Second) })
		if len(c.at) != 2 {
			t.Errorf("passes at %v", c.at)
		}
	})
}

// A daemon is healthy if its last pass was good and recent.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := health{fresh: freshness(time.Minute)}
		is := func(ready bool, why string) {
			t.Helper()
			if c := h.at(time.Now()); c.Ready != ready || c.Why != why {
				t.Errorf("%+v, want %v, %q", c, ready, why)
			}
		}
		is(false, "no pass has ended yet")
		h.ended(true, time.Now())
		is(true, "")
		h.began(time.Now())
		time.Sleep(freshness(time.Minute))
		is(true, "")
		time.Sleep(time.Second)
		is(false, "the last good pass is too long ago")
		h.ended(true, time.Now())
		is(true, "")
		h.ended(false, time.Now())
		is(false, "the last pass failed")
	})
}

// The log says which decision of a person about a run a pull or a push put aside, and what to do.
func TestLostDecisionIsLogged(t *testing.T) {
	d, log := newClock(fine).Daemon, &bytes.Buffer{}
	d.Log = slog.New(slog.NewTextHandler(log, nil))
	of := exchange.Run{ID: "ship-00000000", Joined: runlog.Joined{
		State: run.State{ID: "ship-00000000", Jobs: map[string]run.Job{"ask": {Status: run.Did, By: "ben"}}},
		Aside: []runlog.Aside{{Record: run.Record{Kind: run.Failed, Job: "ask", By: "ada", Approval: &review.Signed{}}}, {Record: run.Record{Kind: run.Claimed, Job: "ask", By: "scout"}}},
	}}
	p := exchange.Pulled{Runs: []exchange.Run{of}}
	d.ended(Outcome{Pulled: &p, Pushed: &exchange.Pushed{Pulled: []exchange.Pulled{p}}}, nil, time.Time{}, time.Time{})
	if got := log.String(); strings.Count(got, "decision=rejection by=ada") != 2 || strings.Contains(got, "scout") || !strings.Contains(got, "assent run cancel ship-00000000") {
		t.Error(got)
	}
}
