package serve

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDelay(t *testing.T) {
	noon := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		moment
		want time.Duration
	}{
		"poll":                         {moment{now: noon, dice: 0.5}, time.Minute},
		"poll, early":                  {moment{now: noon}, 54 * time.Second},
		"a schedule before that":       {moment{now: noon, next: noon.Add(10 * time.Second), dice: 0.5}, 10 * time.Second},
		"a schedule after that":        {moment{now: noon, next: noon.Add(time.Hour), dice: 0.5}, time.Minute},
		"a schedule at this moment":    {moment{now: noon, next: noon, dice: 0.5}, soonest},
		"one failure":                  {moment{now: noon, failures: 1, dice: 0.5}, 750 * time.Millisecond},
		"three failures":               {moment{now: noon, failures: 3, dice: 0}, 2 * time.Second},
		"a schedule during a failure":  {moment{now: noon, next: noon, failures: 4, dice: 0}, 4 * time.Second},
		"as many failures as there be": {moment{now: noon, failures: 1 << 40, dice: 0}, lastRetry / 2},
	} {
		if got := c.delay(time.Minute); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The next pass never starts at once and never later than required.
func TestDelayIsBounded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := moment{
			now: time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "now"), 0), failures: rapid.IntRange(0, 1e9).Draw(rt, "failures"),
			dice: rapid.Float64Range(0, 0.999).Draw(rt, "dice"),
		}
		if rapid.Bool().Draw(rt, "scheduled") {
			m.next = time.Unix(rapid.Int64Range(0, 4e9).Draw(rt, "next"), 0)
		}
		poll := time.Duration(rapid.Int64Range(int64(MinPoll), int64(time.Hour)).Draw(rt, "poll"))
		if d := m.delay(poll); d < firstRetry/2 || d > max(poll+poll/10, lastRetry) {
			rt.Errorf("%+v with a poll of %s: %s", m, poll, d)
		}
	})
}
