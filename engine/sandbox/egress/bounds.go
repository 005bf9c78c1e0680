package egress

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Bounds of one proxy: a program needs no more, and this one has to stay well. Each of what
// is under way takes two open files of the engine, whatever is only accepted one.
const (
	maxHeader   = 64 << 10
	maxUnderWay = 64               // requests and tunnels; one more is answered with 503
	maxAccepted = 128              // connections; one more waits in the kernel's queue
	patience    = 15 * time.Second // to connect, to say what one wants, and to want something more
	idle        = 5 * time.Minute  // without a byte either way, after which a tunnel is closed
)

// few answers at most n requests at a time, and all others at once, with 503. A tunnel is a
// request until it ends.
func few(n int, h http.Handler) http.Handler {
	free := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
			h.ServeHTTP(w, r)
		default:
			w.Header().Set("Connection", "close")
			http.Error(w, "this proxy has "+strconv.Itoa(n)+" connections under way, and takes no more: end one first", http.StatusServiceUnavailable)
		}
	})
}

// limited has at most a number of connections accepted at a time. Each of them is still what
// it was otherwise, so that one way of it can be closed before the other.
type limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limit(l net.Listener, n int) *limited {
	return &limited{Listener: l, free: make(chan struct{}, n), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err //nolint:wrapcheck // the server looks at what it is
	}
	return &accepted{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
}

// Close implements net.Listener.
func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close() //nolint:wrapcheck // nothing to add
}

type accepted struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (a *accepted) Close() error {
	defer a.release()
	return a.Conn.Close() //nolint:wrapcheck // nothing to add
}

// CloseWrite says that nothing more comes this way.
func (a *accepted) CloseWrite() error { return closeWrite(a.Conn) }

// closeWrite closes one way of a connection, or both where it has no ways of its own.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite() //nolint:wrapcheck // nothing to add
	}
	return c.Close() //nolint:wrapcheck // nothing to add
}

// join carries bytes both ways, until both have ended or none came for too long.
func join(here net.Conn, from io.Reader, there net.Conn) {
	timer := time.AfterFunc(idle, func() { _, _ = here.Close(), there.Close() })
	defer timer.Stop()
	var both sync.WaitGroup
	both.Go(func() { pass(there, awake{from, timer}) })
	both.Go(func() { pass(here, awake{there, timer}) })
	both.Wait()
}

// pass copies one way, and says at the end that nothing more comes.
func pass(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from) // the sender sees that it failed
	_ = closeWrite(to)
}

// awake puts a timer off whenever something is read.
type awake struct {
	from  io.Reader
	timer *time.Timer
}

// Read implements io.Reader.
func (a awake) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if n > 0 {
		a.timer.Reset(idle)
	}
	return n, err //nolint:wrapcheck // io.EOF is compared
}
