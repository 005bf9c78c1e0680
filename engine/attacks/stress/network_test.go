package stress_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// network is a bad network between processes and a server. Each process has its own line, an
// address that it uses as the server's. The network loses, delays, doubles and garbles requests
// and answers, and may kill the sender of a merge before the answer arrives.
type network struct {
	server *url.URL
	// kill ends the process of a line in that life with SIGKILL, and returns when it is gone; it
	// returns false if it was gone before.
	kill func(line, life int) bool
	// life counts the processes that a line had.
	life func(line int) int

	mu   sync.Mutex
	rand *rand.Rand
	calm bool // everything arrives
	// done counts answered requests; moved is closed and replaced with each.
	done  int
	moved chan struct{}
	// wanted is the number of kills wanted between a merge and its answer.
	wanted int
	merges int // seen
	counts map[string]int
	late   sync.WaitGroup
}

func newNetwork(server string, r *rand.Rand) (*network, error) {
	u, err := url.Parse(server)
	return &network{server: u, rand: r, calm: true, moved: make(chan struct{}), counts: map[string]int{}}, err
}

// line opens a line and returns the server's address on it.
func (n *network) line(t *testing.T, number int) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.carry(number, w, r) }), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }() // it ends with Close
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

// call is a request that arrived whole.
type call struct {
	line, life  int
	method, uri string
	header      http.Header
	body        []byte
}

// answer is the response that goes back.
type answer struct {
	status int
	header http.Header
	body   []byte
	cut    bool  // only half of it
	err    error // nothing at all
}

var errLost = errors.New("lost")

// carry takes one request to the server and its answer back, possibly with a fault.
func (n *network) carry(line int, w http.ResponseWriter, r *http.Request) {
	c := call{line: line, life: n.life(line), method: r.Method, uri: r.URL.RequestURI(), header: r.Header.Clone()}
	var err error
	if c.body, err = io.ReadAll(r.Body); err != nil {
		return // the sender is gone
	}
	a, struck := n.strike(c)
	if !struck {
		a = n.fault()(n, c)
	}
	n.mu.Lock()
	n.done++
	close(n.moved)
	n.moved = make(chan struct{})
	n.mu.Unlock()
	if a.err != nil {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), a.header)
	if a.cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(a.body)))
		a.body = a.body[:len(a.body)/2]
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the sender may be gone
	if a.cut {
		panic(http.ErrAbortHandler)
	}
}

// forward asks the server, even if no caller waits any more.
func (n *network) forward(c call) answer {
	req, err := http.NewRequest(c.method, n.server.String()+c.uri, bytes.NewReader(c.body))
	if err != nil {
		return answer{err: err}
	}
	req.Header = c.header.Clone()
	req.Header.Del("Connection")
	resp, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	resp.Header.Del("Connection")
	resp.Header.Del("Content-Length")
	return answer{status: resp.StatusCode, header: resp.Header, body: body, err: err}
}

// hold waits until some further requests were answered, at most for the given time.
func (n *network) hold(requests int, most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	n.mu.Lock()
	until := n.done + requests
	for n.done < until && !n.calm {
		moved := n.moved
		n.mu.Unlock()
		select {
		case <-moved:
		case <-timer.C:
			return
		}
		n.mu.Lock()
	}
	n.mu.Unlock()
}

// count counts an event.
func (n *network) count(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.counts[what]++
}

// carried returns the number of answered requests.
func (n *network) carried() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.done
}

func (n *network) counted(what string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts[what]
}

// weather makes the network good or bad.
func (n *network) weather(good bool) {
	n.mu.Lock()
	n.calm = good
	n.mu.Unlock()
	if good {
		n.late.Wait()
	}
}

func (n *network) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d requests, %d pushes of main", n.done, n.merges)
	for _, what := range slices.Sorted(maps.Keys(n.counts)) {
		fmt.Fprintf(&b, "\n  %5d %s", n.counts[what], what)
	}
	return b.String()
}
