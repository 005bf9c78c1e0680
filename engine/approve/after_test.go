package approve

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/policy"
	"github.com/assent-dev/assent/engine/review"
)

// An approval from a machine whose clock was ahead counts later; what took it back has
// to count by then.
func TestAfter(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		last     time.Duration // of the decision before, from now
		decision review.Decision
		want     time.Duration
	}{
		"an approval after one of yesterday":    {-24 * time.Hour, review.Approve, 0},
		"an approval within the same second":    {0, review.Approve, time.Second},
		"a revocation of yesterday's":           {-24 * time.Hour, review.Revoke, 0},
		"a revocation within the same second":   {0, review.Revoke, 0},
		"a revocation of one dated a bit ahead": {4 * time.Minute, review.Revoke, 4 * time.Minute},
		"a revocation of one dated far ahead":   {24 * time.Hour, review.Revoke, 24 * time.Hour},
	} {
		before := []policy.Review{{Decision: review.Approve, At: now.Add(tc.last)}}
		if got := after(before, tc.decision, now).Sub(now); got != tc.want {
			t.Errorf("%s is dated %v from now, want %v", name, got, tc.want)
		}
	}
}
