package approve

import (
	"testing"
	"time"

	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/policy"
)

// An approval from a machine whose clock was ahead counts later; its revocation must count by
// then.
func TestAfter(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		last     time.Duration // of the decision before, from now
		decision review.Decision
		want     time.Duration
	}{
		"an approval after one of yesterday":    {-24 * time.Hour, review.Approve, 0},
		"an approval within the same second":    {0, review.Approve, time.Second},
		"an approval after one a bit ahead":     {4 * time.Minute, review.Approve, 4*time.Minute + time.Second},
		"an approval after one far ahead":       {24 * time.Hour, review.Approve, 0},
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

// A decision signed with a clock ahead takes over when its time comes; an earlier decision gets a
// warning.
func TestAhead(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	before := []policy.Review{{Decision: review.Approve, At: now}, {Decision: review.Revoke, At: now.Add(24 * time.Hour)}}
	const want = "this counts only until 2026-03-11T12:00:00Z: then the revoke that was signed with a clock ahead counts; decide again after that"
	if got := ahead(before, review.Approve, after(before, review.Approve, now)); got != want {
		t.Errorf("an approval before a revocation that is dated ahead says %q", got)
	}
	for name, said := range map[string]string{
		"a revocation":        ahead(before, review.Revoke, after(before, review.Revoke, now)),
		"a day later":         ahead(before, review.Approve, after(before, review.Approve, now.Add(25*time.Hour))),
		"nothing was decided": ahead(nil, review.Approve, now),
	} {
		if said != "" {
			t.Errorf("%s: %q", name, said)
		}
	}
}
