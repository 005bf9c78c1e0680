package services_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assent-dev/assent/engine/cli/clitest"
)

// collector takes logs. It answers each request as the next word of script says, and else takes it.
type collector struct {
	mu       sync.Mutex
	script   []string
	ids      []string
	requests int
	last     string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	var in struct {
		ResourceLogs []struct {
			ScopeLogs []struct {
				LogRecords []struct {
					TimeUnixNano string `json:"timeUnixNano"`
					Attributes   []struct {
						Key   string `json:"key"`
						Value struct {
							StringValue string `json:"stringValue"`
						} `json:"value"`
					} `json:"attributes"`
				} `json:"logRecords"`
			} `json:"scopeLogs"`
		} `json:"resourceLogs"`
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil || r.URL.Path != "/v1/logs" || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, fmt.Sprint(err, r.URL), http.StatusBadRequest)
		return
	}
	how := ""
	if len(c.script) > 0 {
		how, c.script = c.script[0], c.script[1:]
	}
	status, after, _ := strings.Cut(how, ":")
	if code, err := strconv.Atoi(status); err == nil {
		w.Header().Set("Retry-After", after)
		w.Header().Set("Location", "/v1/logs")
		w.WriteHeader(code)
		return
	}
	if how == "html" {
		fmt.Fprint(w, "<!doctype html>")
		return
	}
	c.last = string(body)
	for _, resource := range in.ResourceLogs {
		for _, scope := range resource.ScopeLogs {
			for _, record := range scope.LogRecords {
				for _, a := range record.Attributes {
					if a.Key == "assent.trial.id" {
						c.ids = append(c.ids, a.Value.StringValue)
					}
				}
			}
		}
	}
	if how == "partial" {
		fmt.Fprint(w, `{"partialSuccess": {"rejectedLogRecords": "1", "errorMessage": "too old"}}`)
		return
	}
	fmt.Fprint(w, `{"partialSuccess": {}}`)
}

type collectorKey struct{}

// TestOTLP: the scripts in testdata/otlp export trials to a collector at $COLLECTOR.
//
//	answers WORD…         how the collector answers the next requests: STATUS:RETRY-AFTER, html or partial
//	took RECORDS REQUESTS says how many different records and requests came so far
//	told TEXT             says that the last request that was taken has a text; `!` that it has not
func TestOTLP(t *testing.T) {
	p := clitest.Params("otlp")
	surround := p.Setup
	p.Setup = func(env *testscript.Env) error {
		c := &collector{}
		server := httptest.NewServer(c)
		env.Defer(server.Close)
		env.Values[collectorKey{}] = c
		env.Setenv("COLLECTOR", server.URL)
		return surround(env)
	}
	with := func(do func(ts *testscript.TestScript, c *collector, neg bool, args []string)) func(*testscript.TestScript, bool, []string) {
		return func(ts *testscript.TestScript, neg bool, args []string) {
			c := ts.Value(collectorKey{}).(*collector)
			c.mu.Lock()
			defer c.mu.Unlock()
			do(ts, c, neg, args)
		}
	}
	p.Cmds["answers"] = with(func(_ *testscript.TestScript, c *collector, _ bool, args []string) { c.script = args })
	p.Cmds["took"] = with(func(ts *testscript.TestScript, c *collector, _ bool, args []string) {
		different := map[string]bool{}
		for _, id := range c.ids {
			different[id] = true
		}
		if fmt.Sprint(len(different), " ", c.requests) != strings.Join(args, " ") {
			ts.Fatalf("took %d records, %d different ones, in %d requests", len(c.ids), len(different), c.requests)
		}
	})
	p.Cmds["told"] = with(func(ts *testscript.TestScript, c *collector, neg bool, args []string) {
		if strings.Contains(c.last, args[0]) == neg {
			ts.Fatalf("%s", c.last)
		}
	})
	testscript.Run(t, p)
}
