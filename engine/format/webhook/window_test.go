package webhook

import (
	"strconv"
	"testing"
	"time"
)

func delivery(n int) Delivery {
	return Delivery{ID: strconv.Itoa(n), Body: [32]byte{byte(n), byte(n >> 8)}}
}

func TestWindow(t *testing.T) {
	now := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	w := NewWindow(3, time.Hour)
	first := func(d Delivery, want bool) {
		t.Helper()
		if got := w.First(d, now); got != want {
			t.Errorf("%s at %s: first is %v", d.ID, now.Format(time.TimeOnly), got)
		}
	}
	first(delivery(1), true)
	first(delivery(1), false)
	renamed, rewritten := delivery(1), delivery(1)
	renamed.ID, rewritten.Body = "x", [32]byte{9}
	first(renamed, false)
	first(rewritten, false)
	now = now.Add(time.Minute)
	first(delivery(2), true)
	first(delivery(3), true)
	first(delivery(1), false)
	first(delivery(4), true) // the oldest is evicted
	first(delivery(2), false)
	first(delivery(1), true)
	now = now.Add(time.Hour + 1)
	first(delivery(4), true)
}

// TestWindowIsBounded: neither repetitions nor new deliveries beyond its bound make a
// window grow.
func TestWindowIsBounded(t *testing.T) {
	w := NewWindow(10, time.Hour)
	for i := range 1000 {
		w.First(delivery(i), time.Time{})
		w.First(delivery(i), time.Time{})
	}
	if len(w.order) != 10 || len(w.seen) != 20 {
		t.Errorf("%d remembered by %d keys", len(w.order), len(w.seen))
	}
}
