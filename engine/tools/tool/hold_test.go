package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// asking serves the method next, and sends requests of its own before the answer to a call. If it
// holds, it leaves replies unanswered.
func asking(t *testing.T, requests int, holds bool) (url string, replies *atomic.Int64) {
	t.Helper()
	replies = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			return
		}
		out := `{"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}`
		switch m.Method {
		case "tools/list":
			out = `{"tools": [{"name": "next", "description": "Counts.", "inputSchema": {"type": "object"}}]}`
		case "tools/call":
			out = `{"content": [{"type": "text", "text": "1"}]}`
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range requests {
				_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": \"p%d\", \"method\": \"ping\"}\n\n", i)
			}
			w.(http.Flusher).Flush()
			if holds {
				<-r.Context().Done()
			}
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}\n\n", m.ID, out)
			return
		case "":
			replies.Add(1)
			if holds {
				<-r.Context().Done()
			}
			fallthrough
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, out)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL, replies
}

// TestRemoteAsks: requests of a server cannot hold a call beyond its time, and are few.
func TestRemoteAsks(t *testing.T) {
	for _, c := range []struct {
		requests int
		holds    bool
		limit    time.Duration
		want     ErrorType
	}{{maxAsked, false, time.Minute, ""}, {20_000, false, time.Minute, TooMuchOutput}, {1, true, time.Second, TimedOut}} {
		url, replies := asking(t, c.requests, c.holds)
		all := map[string]string{}
		atAddress(all, "far", url, ", secrets: [TOKEN]")
		res, err := withToken(t, all).Do(t.Context(), Call{Name: "far__next", Timeout: c.limit})
		if err != nil || res.Type != c.want {
			t.Errorf("%d requests: %+v, %v, want %q", c.requests, res, err, c.want)
		}
		if replies.Load() > maxAsked {
			t.Errorf("%d requests have %d replies", c.requests, replies.Load())
		}
	}
}

// silence answers no request.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestRemoteReceipt: a server that does not receive a reply fails, also where the call has much time left.
func TestRemoteReceipt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &remote{client: http.Client{Transport: silence{}}, url: "http://127.0.0.1:1", header: http.Header{}}
		r.ctx, r.end = context.WithCancelCause(t.Context())
		_, r.answers = io.Pipe()
		_, _ = r.Write([]byte(`{"jsonrpc": "2.0", "id": 1, "result": {}}`))
		if why := (*refusal)(nil); !errors.As(r.failure(), &why) || why.kind != NotAvailable {
			t.Errorf("it ended with %v", r.failure())
		}
	})
}

// TestServerReadsNothing: a kept server that asks, and then reads nothing, is ended when the time of the call is over.
func TestServerReadsNothing(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	for _, during := range []string{"tools/call", "tools/list"} {
		ask := `
    if m["method"] == "` + during + `":
        for i in range(5000):
            print(json.dumps({"jsonrpc": "2.0", "id": "p%d" % i, "method": "ping"}))
        sys.stdout.flush()
`
		deaf := `
    if m["method"] == "` + during + `":
        import time
        time.sleep(3600)
`
		code := strings.Replace(counter, "    out = {}\n", ask[1:]+"    out = {}\n", 1)
		if during == "tools/call" { // it does not even answer
			code = strings.Replace(code, "    out = {}\n", deaf[1:]+"    out = {}\n", 1)
		} else {
			code += deaf[1:]
		}
		all := map[string]string{}
		files(all, "count", counterRecord, map[string]string{"server.json": "{}", "scripts/main.py": code})
		e := engine(t, all)
		e.Warm = &Warm{}
		t.Cleanup(e.Warm.Close)
		if res, err := e.Do(t.Context(), Call{Name: "count__next", Timeout: 2 * time.Second}); err != nil || res.Type != TimedOut {
			t.Errorf("at %s: %+v, %v", during, res, err)
		}
	}
}
