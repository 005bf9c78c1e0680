package tool

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/mcpclient"
)

const (
	// maxWarm is how many servers of one client run at a time. Others are started for each call.
	maxWarm = 8
	// idle is how long a server runs without a call.
	idle = 5 * time.Minute
)

// warmLimits bound a server over all its calls. Its memory, processes and files are bounded as for one call, and
// each call has the time of one. What it prints beside its answers is kept, so it is bounded, too.
func warmLimits(l sandbox.Limits) sandbox.Limits {
	l.Wall, l.CPU, l.Output = 12*time.Hour, 10*time.Minute, 16<<20
	return l
}

// Warm keeps the servers that a client calls running between its calls, so that they keep what they know and
// answer without a start, and has sandboxes prepared for its programs, each for one call. It is for one client:
// two would see each other's state. The zero Warm is ready.
type Warm struct {
	mu     sync.Mutex
	box    *sandbox.Box
	slots  map[string]*slot
	closed bool
}

// slot is the place of one server.
type slot struct {
	// turn is held by the call that uses the server: one at a time.
	turn chan struct{}
	// key identifies the content, secrets and hosts that it was started with.
	key string
	served
	rest *time.Timer
}

// peer is the other side of a conversation: a process, or a remote.
type peer interface {
	Kill()
	Wait() sandbox.Result
	Ended() bool
}

// served is a running server, with its streams; p is nil for none.
type served struct {
	p       peer
	from    io.Reader
	to      io.WriteCloser
	session *mcpclient.Session
}

// Box returns the isolation of this machine, which is tried out once for a client.
func (w *Warm) Box(ctx context.Context) (*sandbox.Box, error) {
	if w == nil {
		return sandbox.New(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.box == nil {
		box, err := sandbox.New(ctx)
		if err != nil {
			return nil, err
		}
		if w.box = box; !w.closed {
			box.Keep()
		}
	}
	return w.box, nil
}

// take waits for a server's turn. It returns nil if the server is to be started for this call alone.
func (w *Warm) take(ctx context.Context, name, key string) *slot {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	s := w.slots[name]
	if s == nil && !w.closed && len(w.slots) < maxWarm {
		s = &slot{turn: make(chan struct{}, 1)}
		if w.slots == nil {
			w.slots = map[string]*slot{}
		}
		w.slots[name] = s
	}
	w.mu.Unlock()
	if s == nil {
		return nil
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	w.mu.Lock()
	gone := w.slots[name] != s
	w.mu.Unlock()
	if gone {
		<-s.turn
		return nil
	}
	if s.rest != nil {
		s.rest.Stop()
	}
	if s.p != nil && (s.key != key || s.p.Ended()) { // it is another one now, or it crashed between two calls
		s.end(false)
	}
	s.key = key
	return s
}

// leave ends a call's turn; a server that is left there runs on for a while.
func (w *Warm) leave(name string, s *slot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed && s.p != nil {
		s.end(false)
	}
	if s.p == nil {
		delete(w.slots, name) // a call that waits for its turn starts a server of its own
	} else {
		s.rest = time.AfterFunc(idle, func() { w.retire(name, s) })
	}
	<-s.turn
}

// retire ends a server that no call uses.
func (w *Warm) retire(name string, s *slot) {
	select {
	case s.turn <- struct{}{}:
		if s.p != nil {
			s.end(false)
		}
		w.leave(name, s)
	default:
	}
}

// Close ends all servers, and the sandboxes that wait. Calls that still run end theirs.
func (w *Warm) Close() {
	w.mu.Lock()
	w.closed = true
	all, box := w.slots, w.box
	w.slots = nil
	w.mu.Unlock()
	if box != nil {
		box.Close()
	}
	for name, s := range all {
		w.retire(name, s)
	}
}
