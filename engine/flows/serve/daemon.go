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

// Settings are what a daemon is given. All of them are needed, but for Secrets and
// Hosts.
type Settings struct {
	// Make makes one pass; it is never called while another call runs, unless that one
	// was abandoned when the daemon ended. The workspace is opened anew in each.
	Make func(context.Context) (Outcome, error)
	// Poll is how long at most, give or take a tenth, nothing is looked at.
	Poll time.Duration
	// Settle is how long hints have to be quiet before a pass follows them.
	Settle time.Duration
	// Grace is how long the pass that runs may go on when the daemon is to end.
	Grace time.Duration
	// Secrets sign webhooks; without them none are taken.
	Secrets webhook.Secrets
	// Hosts are names beside localhost by which the daemon is asked for.
	Hosts []string
	Log   *slog.Logger
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
	d.Log.Info("serving", "address", listener.Addr().String(), "webhooks", d.hooks != nil, "poll", d.Poll.String())
	d.loop(ctx)
	closing, end := context.WithTimeout(context.WithoutCancel(ctx), abandonAfter)
	defer end()
	if server.Shutdown(closing) != nil {
		_ = server.Close() // whoever is still connected has had their time
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	}
	d.Log.Info("stopped")
	return nil
}
