package serve

import "time"

const (
	// firstRetry is how long a first failure keeps the daemon waiting; each further one
	// in a row doubles that, up to lastRetry.
	firstRetry = time.Second
	lastRetry  = 5 * time.Minute
	// soonest keeps passes apart that a schedule would put side by side.
	soonest = time.Second
)

// moment is the state on which the time of the next pass depends.
type moment struct {
	now time.Time
	// next is when a schedule fires; zero for never.
	next time.Time
	// failures is how many passes failed in a row.
	failures int
	// dice is a random number in [0, 1).
	dice float64
}

// delay returns how long to wait for the next pass if nothing wakes it. After failures it
// is the retry delay alone. Else it is poll, give or take a tenth so that parallel daemons
// do not run in step, or the time until a schedule fires.
func (m moment) delay(poll time.Duration) time.Duration {
	if m.failures > 0 {
		d := lastRetry
		if doubled := m.failures - 1; doubled < 20 {
			d = min(firstRetry<<doubled, lastRetry)
		}
		return share(d, 0.5+m.dice/2)
	}
	d := share(poll, 0.9+m.dice/5)
	if !m.next.IsZero() {
		d = min(d, max(m.next.Sub(m.now), soonest))
	}
	return d
}

func share(d time.Duration, of float64) time.Duration { return time.Duration(float64(d) * of) }
