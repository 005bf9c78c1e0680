package wilson_test

import (
	"math"
	"testing"

	"github.com/assent-dev/assent/bench/wilson"
)

// The intervals are those of the literature: Brown, Cai, DasGupta (2001), table of
// examples, and by hand at the ends.
func TestInterval(t *testing.T) {
	for _, tc := range []struct {
		k, n      int
		low, high float64
	}{{0, 0, 0, 1}, {0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {1, 100, 0.0018, 0.0545}} {
		low, high := wilson.Interval(tc.k, tc.n)
		if math.Abs(low-tc.low) > 5e-4 || math.Abs(high-tc.high) > 5e-4 {
			t.Errorf("%d of %d: [%.4f, %.4f], want [%.4f, %.4f]", tc.k, tc.n, low, high, tc.low, tc.high)
		}
	}
}
