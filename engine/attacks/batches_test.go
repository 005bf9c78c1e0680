package attacks_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/agents/mcpserver"
	"github.com/assent-dev/assent/engine/agents/toolset"
)

func batchDefences() map[string]defence {
	return map[string]defence{"batches-are-small": {attack: "TestAttackBatches"}}
}

// A client of /mcp gets no more answers than a few from one request, however the request is written.
func TestAttackBatches(t *testing.T) {
	const most = 50
	token := strings.Repeat("kublai", 8)
	tokens, err := mcpserver.ParseTokens([]byte("kublai " + token + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	h, err := mcpserver.HTTP(tokens, func(mcpserver.Token) mcpserver.Settings {
		return mcpserver.Settings{Agent: &toolset.Agent{Name: "kublai"}}
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	answers := func(body, version string) int {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if version != "" {
			r.Header.Set("Mcp-Protocol-Version", version)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		text, _ := io.ReadAll(w.Body)
		return strings.Count(string(text), `"result"`)
	}
	batch := func(n int, before, after string, message func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = message(i)
		}
		return before + strings.Join(all, ",") + after
	}
	messages := map[string]func(i int) string{
		"lists": func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i) },
		"pings": func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"ping"}`, i) },
		"odd texts": func(i int) string {
			return fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":\"%d\x01\xff\",\"method\":\"ping\"}", i)
		},
		"odd spaces": func(i int) string {
			return fmt.Sprintf("\r\n\t{\"jsonrpc\" :\"2.0\",\"method\":\"ping\",\"id\":%d }", i)
		},
		"twice": func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"id":%d,"method":"ping"}`, i) },
	}
	if n := answers(batch(most, "[", "]", messages["pings"]), ""); n != most {
		t.Fatalf("%d of %d messages are answered", n, most)
	}
	for what, message := range messages {
		for _, n := range []int{most + 1, 2 * most, 500} {
			for _, version := range []string{"", "2024-11-05", "2025-03-26"} {
				for i, before := range []string{"[", " \n\t[", "\r\n[ ", "\v\f["} {
					t.Run(fmt.Sprint(what, n, version, i), func(t *testing.T) {
						if got := answers(batch(n, before, "]", message), version); got > most {
							(&world{T: t}).succeeds("%d messages are answered", got)
						}
					})
				}
			}
		}
	}
}
