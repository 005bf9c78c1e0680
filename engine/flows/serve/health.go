package serve

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// freshness is how old the last good pass may be for a daemon that is ready.
func freshness(poll time.Duration) time.Duration { return 3*poll + time.Minute }

// health records the outcomes of passes.
type health struct {
	fresh time.Duration

	mu       sync.Mutex
	running  time.Time // start of the running pass; zero if none runs
	good     time.Time // when the last good pass ended
	failures int       // in a row
}

func (h *health) began(at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = at
}

// ended returns how many passes failed in a row.
func (h *health) ended(ok bool, at time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = time.Time{}
	if h.failures++; ok {
		h.failures, h.good = 0, at
	}
	return h.failures
}

// condition is the answer of /healthz. It names no path and no error: the log does.
type condition struct {
	Ready bool `json:"ready"`
	// Why is the reason for bad health in a few words, or "".
	Why string `json:"why"`
	// LastGood is when the last pass without a failure ended.
	LastGood *time.Time `json:"last_good_pass"`
	Failures int        `json:"failures_in_a_row"`
	Running  bool       `json:"pass_running"`
}

func (h *health) at(now time.Time) condition {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := condition{Failures: h.failures, Running: !h.running.IsZero()}
	if !h.good.IsZero() {
		good := h.good.UTC()
		c.LastGood = &good
	}
	switch {
	case h.failures > 0:
		c.Why = "the last pass failed"
	case h.good.IsZero():
		c.Why = "no pass has ended yet"
	case now.Sub(h.good) > h.fresh:
		c.Why = "the last good pass is too long ago"
	default:
		c.Ready = true
	}
	return c
}

func (h *health) handle(w http.ResponseWriter, _ *http.Request) {
	c := h.at(time.Now())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !c.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(c) // the client disconnected
}
