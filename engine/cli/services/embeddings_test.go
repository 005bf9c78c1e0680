package services_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// provider is a service of embeddings. The first part of a path says how it answers.
type provider struct {
	mu     sync.Mutex
	texts  map[string][]string // the texts that were asked for, by the scripted kind of answer
	auth   []string
	stolen bool // another host was asked
	calls  int
}

// topics are the dimensions of the scripted vectors. A text's number is 1 for each topic that it names in a word, else 0.
func topics() [][]string {
	return [][]string{{"csv", "table", "spreadsheet"}, {"email", "mail", "letter", "correspondence"}, {"slug", "url", "permalink"}, {""}}
}

func vector(text string) []float64 {
	out := make([]float64, len(topics()))
	for i, words := range topics() {
		if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(text), w) }) {
			out[i] = 1
		}
	}
	out[len(out)-1] = 0.1
	return out
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	way := strings.Split(r.URL.Path, "/")[1]
	var in struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model == "" || r.URL.Path != "/"+way+"/v1/embeddings" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.texts[way] = append(p.texts[way], in.Input...)
	p.auth = append(p.auth, r.Header.Get("Authorization"))
	p.calls++
	calls := p.calls
	p.mu.Unlock()
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var data []datum
	for i, text := range in.Input {
		data = append(data, datum{i, vector(text)})
	}
	slices.Reverse(data) // the order is that of the numbers
	switch way {
	case "slow":
		<-r.Context().Done()
		return
	case "html":
		fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
		return
	case "elsewhere":
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+"/stolen/v1/embeddings", http.StatusTemporaryRedirect)
		return
	case "stolen":
		p.stolen = true
	case "changing":
		if calls%2 == 1 {
			for i := range data {
				data[i].Embedding = append(data[i].Embedding, 1)
			}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

// TestEmbeddings: the scripts in testdata/embeddings search with vectors of a service at $PROVIDER/WAY/v1.
//
//	sent WAY TEXT     says that a text was sent to that way; `!` that none was
//	forget            forgets the texts
func TestEmbeddings(t *testing.T) {
	p := clitest.Params("embeddings")
	surround := p.Setup
	p.Setup = func(env *testscript.Env) error {
		at := &provider{texts: map[string][]string{}}
		server := httptest.NewServer(at)
		server.Config.WriteTimeout = time.Minute
		env.Defer(server.Close)
		env.Values[providerKey{}] = at
		env.Setenv("PROVIDER", server.URL)
		env.Setenv("PORT", server.URL[strings.LastIndex(server.URL, ":")+1:])
		return surround(env)
	}
	p.Cmds["sent"] = func(ts *testscript.TestScript, neg bool, args []string) {
		at := ts.Value(providerKey{}).(*provider)
		at.mu.Lock()
		defer at.mu.Unlock()
		if is := slices.ContainsFunc(at.texts[args[0]], func(s string) bool { return strings.Contains(s, args[1]) }); is == neg || at.stolen {
			ts.Fatalf("sent to %s: %q", args[0], at.texts[args[0]])
		}
	}
	p.Cmds["bearer"] = func(ts *testscript.TestScript, neg bool, args []string) {
		at := ts.Value(providerKey{}).(*provider)
		at.mu.Lock()
		defer at.mu.Unlock()
		if slices.Contains(at.auth, "Bearer "+args[0]) == neg {
			ts.Fatalf("keys: %q", at.auth)
		}
	}
	p.Cmds["forget"] = func(ts *testscript.TestScript, _ bool, _ []string) {
		at := ts.Value(providerKey{}).(*provider)
		at.mu.Lock()
		defer at.mu.Unlock()
		at.texts, at.auth = map[string][]string{}, nil
	}
	testscript.Run(t, p)
}

type providerKey struct{}
