package egress

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Bounds of one proxy, which protect the engine and suffice for a program. Each request or
// tunnel takes two open files of the engine, each further connection one.
const (
	maxHeader   = 64 << 10
	maxUnderWay = 64               // requests and tunnels; a further one is answered with 503
	maxAccepted = 128              // connections; a further one waits in the kernel's queue
	patience    = 15 * time.Second // to connect, to send a request, and to send the next one
	idle        = 5 * time.Minute  // without traffic in either direction, after which a tunnel is closed
)

// limitRequests serves at most n requests at a time and answers others with 503. A tunnel is a request
// until it ends.
func limitRequests(n int, h http.Handler) http.Handler {
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

// limitedListener accepts at most a number of connections at a time. Its connections keep their
// CloseWrite, so that one direction can be closed before the other.
type limitedListener struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
}

func limitConnections(l net.Listener, n int) *limitedListener {
	return &limitedListener{Listener: l, free: make(chan struct{}, n), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (l *limitedListener) Accept() (net.Conn, error) {
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
func (l *limitedListener) Close() error {
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

// CloseWrite closes the sending direction.
func (a *accepted) CloseWrite() error { return closeWrite(a.Conn) }

// closeWrite closes the sending direction of a connection, or all of it if it has no
// CloseWrite.
func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite() //nolint:wrapcheck // nothing to add
	}
	return c.Close() //nolint:wrapcheck // nothing to add
}

// join copies bytes in both directions, until both have ended or no traffic came for idle.
func join(here net.Conn, from io.Reader, there net.Conn) {
	timer := time.AfterFunc(idle, func() { _, _ = here.Close(), there.Close() })
	defer timer.Stop()
	var both sync.WaitGroup
	both.Go(func() { pass(there, idleReader{from, timer}) })
	both.Go(func() { pass(here, idleReader{there, timer}) })
	both.Wait()
}

// pass copies one direction, and closes it at the end.
func pass(to net.Conn, from io.Reader) {
	_, _ = io.Copy(to, from) // the sender notices a failure
	_ = closeWrite(to)
}

// idleReader resets a timer whenever something is read.
type idleReader struct {
	from  io.Reader
	timer *time.Timer
}

// Read implements io.Reader.
func (a idleReader) Read(p []byte) (int, error) {
	n, err := a.from.Read(p)
	if n > 0 {
		a.timer.Reset(idle)
	}
	return n, err //nolint:wrapcheck // io.EOF is compared
}
