package mcpserver_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/agents/mcpserver"
	"github.com/assent-dev/assent/engine/agents/toolset"
)

// tokenOf is the token that tests give an agent.
func tokenOf(agent string) string { return strings.Repeat(agent, 8) }

// bearer sends a token with each request.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// listen serves clients of scout and smith over HTTP, on a server that ends other answers after a
// time.
func (d world) listen(others time.Duration) (url string) {
	d.Helper()
	tokens, err := mcpserver.ParseTokens([]byte("# clients\nscout " + tokenOf("scout") + "\n\nsmith\t" + tokenOf("smith") + "\n"))
	d.OK(err)
	handler, err := mcpserver.HTTP(tokens, func(t mcpserver.Token) mcpserver.Settings {
		return mcpserver.Settings{Agent: d.agent(t.Agent)}
	}, slog.New(slog.DiscardHandler))
	d.OK(err)
	s := httptest.NewUnstartedServer(handler)
	s.Config.WriteTimeout = others
	s.Start()
	d.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// client begins a conversation with a token.
func (d world) client(url, token string) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "a test", Version: "1"}, nil)
	return c.Connect(d.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
}

// TestHTTP: a client is the agent of its token. It finds, calls and proposes, and what is merged
// meanwhile is there.
func TestHTTP(t *testing.T) {
	d := begin(t)
	d.inForce(doubler("double-it", "agents: {allow: [smith]}"))
	url := d.listen(time.Nanosecond) // an agent's answer may take longer than any other
	sessions := map[string]*mcp.ClientSession{}
	for agent, allowed := range map[string]bool{"scout": false, "smith": true} {
		s, err := d.client(url, tokenOf(agent))
		d.OK(err)
		sessions[agent] = s
		if text, failed := call(t, s, "call", map[string]any{"name": "double_it", "input": map[string]any{"n": 21}}); failed == allowed {
			t.Errorf("%s calls: %s", agent, text)
		}
	}
	p := data[toolset.Proposal](t, sessions["scout"], "propose", map[string]any{"goal": "learn a knot", "files": map[string]any{"skills/bowline/SKILL.md": skill("bowline", "Make a loop.")["skills/bowline/SKILL.md"]}})
	got, err := d.Forge.Get(t.Context(), p.ID)
	if d.OK(err); got.Author.Name != "scout" {
		t.Errorf("proposed by %+v", got.Author)
	}
	d.merge(p.ID)
	for agent, s := range sessions {
		if text, failed := call(t, s, "load", map[string]any{"name": "bowline"}); failed || !strings.Contains(text, "Make a loop.") {
			t.Errorf("%s loads: %s", agent, text)
		}
	}
}

// TestHTTPTogether: 50 clients at once, of two agents, are answered each as its agent.
func TestHTTPTogether(t *testing.T) {
	d := begin(t)
	url := d.listen(time.Minute)
	var all sync.WaitGroup
	for i := range 50 {
		agent := []string{"scout", "smith"}[i%2]
		all.Go(func() {
			s, err := d.client(url, tokenOf(agent))
			if err != nil {
				t.Error(err)
				return
			}
			got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "status"})
			if err != nil || got.IsError || !strings.Contains(got.Content[0].(*mcp.TextContent).Text, `"agent":"`+agent+`"`) {
				t.Errorf("%s is answered by %+v, %v", agent, got, err)
			}
		})
	}
	all.Wait()
}

// TestHTTPStrangers: without a token of its own a client reaches nothing.
func TestHTTPStrangers(t *testing.T) {
	d := begin(t)
	url := d.listen(time.Minute)
	for _, header := range []string{"", "Bearer", "Bearer ", "Bearer x", "Basic " + tokenOf("scout"), tokenOf("scout"), "Bearer " + tokenOf("scout") + "t", "Bearer scout"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		d.OK(err)
		if header != "" {
			r.Header["Authorization"] = []string{header}
		}
		answer, err := http.DefaultClient.Do(r)
		d.OK(err)
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%q: %s", header, answer.Status)
		}
	}
}

// TestHTTPRefusals: what the library refuses in plain text has an answer of the protocol.
func TestHTTPRefusals(t *testing.T) {
	d := begin(t)
	url := d.listen(time.Minute)
	for _, c := range []struct {
		body, id     string
		status, code int
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, "7", http.StatusOK, 0},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/sing"}`, "7", http.StatusOK, -32601},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call"}`, `"a"`, http.StatusBadRequest, -32600},
		{`{"jsonrpc":"2.0","method":"tools/sing"}`, "null", http.StatusBadRequest, -32601},
		{`{"jsonrpc":`, "null", http.StatusBadRequest, -32700},
		{``, "null", http.StatusBadRequest, -32700},
		{`{"id":7}`, "7", http.StatusBadRequest, -32600},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(c.body))
		d.OK(err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := (&http.Client{Transport: bearer(tokenOf("scout"))}).Do(r)
		d.OK(err)
		var got struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		err = json.NewDecoder(answer.Body).Decode(&got)
		answer.Body.Close()
		if err != nil || answer.StatusCode != c.status || string(got.ID) != c.id || got.Error.Code != c.code || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s, %s, %+v, %v", c.body, answer.Status, answer.Header.Get("Content-Type"), got, err)
		}
	}
}

func TestParseTokens(t *testing.T) {
	good := tokenOf("scout")
	for text, says := range map[string]string{
		"":                          "no line has one",
		"# only a remark":           "no line has one",
		"scout":                     "line 1 has 1 words",
		"scout " + good[1:31]:       "",
		"\nscout " + good + " more": "line 2 has 3 words",
		"scout short":               "line 1: a token of 5 characters",
		fmt.Sprintf("scout %s\nsmith %s", good, good): "lines 1 and 2 have the same token",
	} {
		tokens, err := mcpserver.ParseTokens([]byte(text))
		if !errors.Is(err, mcpserver.ErrTokens) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", text, tokens, err)
		}
	}
}
