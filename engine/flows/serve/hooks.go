package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/format/webhook"
)

const (
	// remembered and rememberedFor limit the memory of earlier deliveries.
	remembered    = 10_000
	rememberedFor = 24 * time.Hour
	// atOnce bounds how many deliveries are read at the same time. Each takes some 40 kB.
	atOnce = 64
	// scrapes bounds how many answers of metrics are written at the same time.
	scrapes = 8
)

// The results of a delivery, for logs and metrics.
const (
	accepted  = "accepted"
	repeated  = "repeated"
	forged    = "forged"
	malformed = "malformed"
	tooLarge  = "too-large"
	broken    = "broken" // the connection ended before the delivery did
	busy      = "busy"
)

// hooks takes deliveries. All that one does is to wake a pass.
type hooks struct {
	secrets webhook.Secrets
	wake    func()
	metrics *metrics
	logger  *slog.Logger
	reading readers

	mu   sync.Mutex
	seen *webhook.Window
}

func newHooks(s webhook.Secrets, wake func(), m *metrics, l *slog.Logger) *hooks {
	return &hooks{secrets: s, wake: wake, metrics: m, logger: l, reading: readers{places: atOnce}, seen: webhook.NewWindow(remembered, rememberedFor)}
}

// ServeHTTP answers a delivery.
func (h *hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	result, id := h.take(w, r)
	h.metrics.deliveries.WithLabelValues(result).Inc()
	level, code, said := slog.LevelWarn, http.StatusBadRequest, "not a signed delivery of GitHub, Gitea or Forgejo"
	switch result {
	case accepted:
		level, code, said = slog.LevelInfo, http.StatusAccepted, "a pass will look"
	case repeated:
		level, code, said = slog.LevelInfo, http.StatusOK, "was here already"
	case forged:
		code, said = http.StatusForbidden, "the signature is wrong"
	case tooLarge:
		code, said = http.StatusRequestEntityTooLarge, "too large"
	case busy:
		code, said = http.StatusServiceUnavailable, "too many at once"
		w.Header().Set("Retry-After", "10")
	}
	h.logger.Log(context.WithoutCancel(r.Context()), level, "webhook", "result", result, "delivery", id, "from", r.RemoteAddr)
	http.Error(w, said, code)
}

// take checks a delivery and wakes a pass if it is a new one.
func (h *hooks) take(w http.ResponseWriter, r *http.Request) (result, id string) {
	place := h.reading.enter(func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) })
	d, err := h.secrets.Check(r.Header, r.Body)
	gaveWay := h.reading.leave(place)
	switch {
	case err != nil && gaveWay:
		return busy, ""
	case errors.Is(err, webhook.ErrForged):
		return forged, ""
	case errors.Is(err, webhook.ErrTooLarge):
		return tooLarge, ""
	case errors.Is(err, webhook.ErrMalformed):
		return malformed, ""
	case err != nil:
		return broken, ""
	}
	h.mu.Lock()
	first := h.seen.First(d, time.Now())
	h.mu.Unlock()
	if !first {
		return repeated, d.ID
	}
	h.wake()
	return accepted, d.ID
}
