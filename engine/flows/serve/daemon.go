package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/assent-dev/assent/engine/format/webhook"
)

// The shortest times that make sense.
const (
	MinPoll   = time.Second
	MinSettle = 10 * time.Millisecond
)

// Settings configure a daemon. All are required except Secrets, Hosts and MCP.
type Settings struct {
	// Make makes one pass and opens the workspace itself. It is never called while another
	// call runs, unless that one was abandoned when the daemon ended.
	Make func(context.Context) (Outcome, error)
	// Poll is the longest time between two passes, give or take a tenth.
	Poll time.Duration
	// Settle is how long hints must be quiet before a pass starts.
	Settle time.Duration
	// Grace is how long a running pass may continue when the daemon ends.
	Grace time.Duration
	// Secrets verify webhooks; without them none are accepted.
	Secrets webhook.Secrets
	// Hosts are names, besides localhost, that requests may use for the daemon.
	Hosts []string
	// MCP serves agents' clients, or is nil.
	MCP http.Handler
	Log *slog.Logger
}

// Daemon makes passes and answers by HTTP.
type Daemon struct {
	Settings
	wake    chan struct{}
	health  health
	metrics *metrics
	hooks   *hooks
}

// New makes a daemon. It does nothing until Run.
func New(s Settings) *Daemon {
	d := &Daemon{Settings: s, wake: make(chan struct{}, 1), health: health{fresh: freshness(s.Poll)}, metrics: newMetrics()}
	if len(s.Secrets) > 0 {
		d.hooks = newHooks(s.Secrets, d.Wake, d.metrics, s.Log)
	}
	return d
}

// Run makes passes and serves on listener until ctx ends, which is no failure, or
// until the listener fails. It closes the listener.
func (d *Daemon) Run(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := d.server()
	failed := make(chan error, 1)
	go func() {
		err := server.Serve(bounded(listener))
		cancel()
		failed <- err
	}()
	d.Log.Info("serving", "address", listener.Addr().String(), "webhooks", d.hooks != nil, "mcp", d.MCP != nil, "poll", d.Poll.String())
	d.loop(ctx)
	closing, end := context.WithTimeout(context.WithoutCancel(ctx), abandonAfter)
	defer end()
	if server.Shutdown(closing) != nil {
		_ = server.Close() // the remaining connections have had their time
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	}
	d.Log.Info("stopped")
	return nil
}
