package measure

import (
	"context"
	"slices"
	"time"
)

// A Sample does something once and returns what it cost, in whatever unit.
type Sample func() (float64, error)

// Seconds is the Sample of the time that f takes.
func Seconds(f func() error) Sample {
	return func() (float64, error) {
		begin := time.Now()
		err := f()
		return time.Since(begin).Seconds(), err
	}
}

// Rounds say how often something is repeated: at least Least times, and on until
// Budget is used up, but never more than Most times.
type Rounds struct {
	Least, Most int
	Budget      time.Duration
}

// Medians takes samples in turns and returns the median of each. A first turn is
// not counted: it fills caches. Every other turn goes backwards, so that none
// profits from who came before it.
func (r Rounds) Medians(ctx context.Context, samples ...Sample) ([]float64, error) {
	taken := make([][]float64, len(samples))
	begin := time.Now()
	for turn := 0; turn <= r.Least || turn <= r.Most && time.Since(begin) < r.Budget; turn++ {
		for i := range samples {
			if turn%2 == 1 {
				i = len(samples) - 1 - i
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v, err := samples[i]()
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				taken[i] = append(taken[i], v)
			}
		}
	}
	out := make([]float64, len(samples))
	for i, all := range taken {
		out[i] = Median(all)
	}
	return out, nil
}

// Median is the one in the middle, or between the two there. It sorts all.
func Median(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	return (all[(n-1)/2] + all[n/2]) / 2
}
