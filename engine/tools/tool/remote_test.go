package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const remoteMethods = "methods:\n  - name: next\n    description: Counts.\n    input: {type: object}\n"

// atAddress adds a server at an address to a tree.
func atAddress(to map[string]string, name, url, more string) {
	host := strings.TrimPrefix(url, "http://")
	to["policies/security.yaml"] = "sandbox: {hosts: [\"" + host + "\"]}\n"
	files(to, name, "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-http, timeout: 60s}\nrequires: {hosts: [\""+host+"\"]"+more+"}\n", map[string]string{
		"server.json":  `{"remotes": [{"type": "streamable-http", "url": "` + url + `/mcp", "headers": [{"name": "X-Token", "value": "t {TOKEN}"}, {"name": "X-Kind", "value": "test"}]}]}`,
		"methods.yaml": remoteMethods,
	})
}

// counting serves a method that counts the calls of its session, by the library. It reports the requests without the
// token, and counts the sessions that end.
func counting(t *testing.T, o mcp.StreamableHTTPOptions) (url string, ended *atomic.Int64, h *mcp.StreamableHTTPHandler) {
	t.Helper()
	h = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)
		calls := 0
		s.AddTool(&mcp.Tool{Name: "next", Description: "Counts.", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				calls++
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(calls)}}}, nil
			})
		return s
	}, &o)
	ended = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Token") != "t secret of the test" || r.Header.Get("X-Kind") != "test" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodDelete {
			ended.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL, ended, h
}

func withToken(t *testing.T, all map[string]string) *Engine {
	e := engine(t, all)
	e.Secret = func(string) (string, bool, error) { return "secret of the test", true, nil }
	e.Runner = nil // nothing is run here
	return e
}

// TestRemote: a server at an address is called in a session of its own, which a kept conversation keeps.
func TestRemote(t *testing.T) {
	for name, o := range map[string]mcp.StreamableHTTPOptions{"events": {}, "JSON": {JSONResponse: true}, "stateless": {Stateless: true}} {
		t.Run(name, func(t *testing.T) {
			url, ended, _ := counting(t, o)
			all := map[string]string{}
			atAddress(all, "far", url, ", secrets: [TOKEN]")
			e := withToken(t, all)
			for range 2 {
				if res := do(t, e, "far__next", ""); string(res.Result) != "1" {
					t.Fatalf("for one call: %+v", res)
				}
			}
			e.Warm = &Warm{}
			for i := range 3 {
				want := fmt.Sprint(i + 1)
				if o.Stateless {
					want = "1"
				}
				if res := do(t, e, "far__next", ""); string(res.Result) != want {
					t.Errorf("kept: %+v, want %s", res, want)
				}
			}
			e.Warm.Close()
			if want := int64(3); !o.Stateless && ended.Load() != want {
				t.Errorf("%d sessions ended, want %d", ended.Load(), want)
			}
			if plan, err := e.Plan(Call{Name: "far__next"}); err != nil || plan.Type != "" || !plan.Protected {
				t.Errorf("plan %+v, %v", plan, err)
			}
			e.Secret = func(string) (string, bool, error) { return "another one", true, nil }
			if res := do(t, e, "far__next", ""); res.Type != Failed || res.Error != "the server answered HTTP 401 Unauthorized" {
				t.Errorf("with another token: %+v", res)
			}
		})
	}
}

// TestRemoteShortSecret: a secret that cannot be kept out of the output is not sent.
func TestRemoteShortSecret(t *testing.T) {
	for _, value := range []string{"", "abc", " abc\n"} {
		all := map[string]string{}
		atAddress(all, "far", "http://127.0.0.1:1", ", secrets: [TOKEN]")
		e := withToken(t, all)
		e.Secret = func(string) (string, bool, error) { return value, true, nil }
		if res := do(t, e, "far__next", ""); res.Type != NotAvailable || !strings.Contains(res.Error, "the secret TOKEN is shorter than 4 bytes") {
			t.Errorf("%q: %+v", value, res)
		}
	}
}

// TestRemoteSessionEnds: a server that forgot the session costs one call, and no use counts as failed.
func TestRemoteSessionEnds(t *testing.T) {
	var forgotten atomic.Bool
	_, _, h := counting(t, mcp.StreamableHTTPOptions{})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") != "" && forgotten.Swap(false) {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	all := map[string]string{}
	atAddress(all, "far", front.URL, ", secrets: [TOKEN]")
	e := withToken(t, all)
	e.Warm = &Warm{}
	t.Cleanup(e.Warm.Close)
	for _, want := range []string{"1", "2", "", "1"} {
		forgotten.Store(want == "")
		res := do(t, e, "far__next", "")
		if string(res.Result) != want || want == "" && (res.Type != NotAvailable || !strings.Contains(res.Hint, "call again")) {
			t.Errorf("%+v, want %q", res, want)
		}
	}
}

// TestRemoteManySessions: fifty clients at once have a session each, and none sees the state of another.
func TestRemoteManySessions(t *testing.T) {
	url, ended, _ := counting(t, mcp.StreamableHTTPOptions{})
	all := map[string]string{}
	atAddress(all, "far", url, ", secrets: [TOKEN]")
	var wg sync.WaitGroup
	for range 50 {
		e := withToken(t, all)
		e.Warm = &Warm{}
		wg.Go(func() {
			defer e.Warm.Close()
			for i := range 3 {
				res, err := e.Do(t.Context(), Call{Name: "far__next"})
				if err != nil || string(res.Result) != fmt.Sprint(i+1) {
					t.Errorf("call %d: %+v, %v", i, res, err)
				}
			}
		})
	}
	wg.Wait()
	if ended.Load() != 50 {
		t.Errorf("%d sessions ended", ended.Load())
	}
}

// TestRemoteAddress: a server.json without an address that can be used is refused before anything is sent.
func TestRemoteAddress(t *testing.T) {
	for described, says := range map[string]string{
		`{}`: "names no address of a server", `{"remotes": [{"type": "sse", "url": "http://127.0.0.1:1"}]}`: "names no address", `{`: "cannot be read",
		`{"remotes": [{"type": "streamable-http", "url": "127.0.0.1:1"}]}`:                                                                "names no address of a server",
		`{"remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:1", "headers": [{"name": "A", "value": "{TOKEN} {OTHER}"}]}]}`: "the header A of far has no value",
		`{"remotes": [{"type": "streamable-http", "url": "http://127.0.0.1:1"}]}`:                                                         "cannot reach the server: dial tcp 127.0.0.1:1: connect: connection refused",
	} {
		all := map[string]string{}
		atAddress(all, "far", "http://127.0.0.1:1", ", secrets: [TOKEN]")
		all["skills/far/server.json"] = described
		if res := do(t, withToken(t, all), "far__next", ""); !strings.Contains(res.Error, says) || res.Type.Started() {
			t.Errorf("%s: %+v, want %s", described, res, says)
		}
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not noticed
		<-r.Context().Done()
	}))
	t.Cleanup(func() { silent.CloseClientConnections(); silent.Close() })
	all := map[string]string{}
	atAddress(all, "far", silent.URL, "")
	all["skills/far/server.json"] = strings.Split(all["skills/far/server.json"], `, "headers"`)[0] + "}]}"
	if res, err := withToken(t, all).Do(t.Context(), Call{Name: "far__next", Timeout: time.Second}); err != nil || res.Type != TimedOut {
		t.Errorf("what hangs: %+v, %v", res, err)
	}
}
