package tool

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// counter is a server that counts its calls, and lists one more method each time that it is asked.
const counter = `import json, os, sys
calls, lists = 0, 0
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    out = {}
    if m["method"] == "initialize":
        out = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif m["method"] == "tools/list":
        lists += 1
        out = {"tools": [{"name": n, "description": n, "inputSchema": {"type": "object"}} for n in ["next", "die", "hang", "after"] + ["new"] * (lists > 1)]}
    elif m["method"] == "tools/call":
        name = m["params"]["name"]
        if name == "die":
            sys.exit("out of paper")
        while name == "hang":
            sys.stdin.readline()
        calls += 1
        out = {"content": [{"type": "text", "text": str(calls)}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": out}), flush=True)
    if m.get("params", {}).get("name") == "after":
        sys.exit(0)
`

const counterRecord = "kind: mcp\nversion: 1.0.0\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: 60s}\n"

// TestWarm: a server that is kept remembers its calls, and starts again where it must.
func TestWarm(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	all := map[string]string{}
	files(all, "count", counterRecord, map[string]string{"server.json": "{}", "scripts/main.py": counter})
	warm := &Warm{}
	t.Cleanup(warm.Close)
	e, cold := engine(t, all), engine(t, all)
	e.Warm = warm
	next := func(e *Engine, want string) {
		t.Helper()
		if res := do(t, e, "count__next", ""); string(res.Result) != want {
			t.Errorf("answers %s %s, want %s", res.Result, res.Error, want)
		}
	}
	next(cold, "1")
	next(cold, "1")
	if methods, res, err := e.Methods(t.Context(), Call{Name: "count"}); err != nil || !res.Success || len(methods) != 4 {
		t.Fatalf("lists %v, %v, %v", methods, res, err)
	}
	next(e, "1")
	next(e, "2")
	// What it listed first holds, and a refused call ends nothing.
	if res := do(t, e, "count__new", ""); res.Type != NotFound {
		t.Errorf("a method that appears later: %+v", res)
	}
	next(e, "3")
	// A crash in a call, one after it and a call that hangs cost the state, and no later call.
	if res := do(t, e, "count__die", ""); res.Type != Crashed || res.Error != "out of paper" {
		t.Errorf("a crash: %+v", res)
	}
	next(e, "1")
	if res := do(t, e, "count__after", ""); !res.Success {
		t.Errorf("before a crash: %+v", res)
	}
	warm.slots["count"].p.Wait()
	next(e, "1")
	if res, err := e.Do(t.Context(), Call{Name: "count__hang", Timeout: time.Second}); err != nil || res.Type != TimedOut {
		t.Errorf("what hangs: %+v, %v", res, err)
	}
	next(e, "1")
	// With other secrets it is another server; a test has none that is kept.
	files(all, "count", counterRecord+"requires: {secrets: [TOKEN]}\n", nil)
	changed := engine(t, all)
	changed.Secret = func(string) (string, bool, error) { return "a secret of the test", true, nil }
	changed.Warm = warm
	next(changed, "1")
	next(changed, "2")
	changed.uncounted = true
	next(changed, "1")
	// It ends where no call uses it, and with its client.
	s := warm.slots["count"]
	p := s.p
	warm.retire("count", s)
	if !p.Ended() || len(warm.slots) != 0 {
		t.Error("an idle server runs on")
	}
	changed.uncounted = false
	next(changed, "1")
	p = warm.slots["count"].p
	warm.Close()
	if !p.Ended() {
		t.Error("a server outlives its client")
	}
	next(changed, "1")
	next(changed, "1")
}

// TestWarmTogether: calls at once wait for each other, and more servers than are kept run for a call each.
func TestWarmTogether(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	all := map[string]string{}
	for i := range maxWarm + 1 {
		files(all, fmt.Sprint("count-", i), counterRecord, map[string]string{"server.json": "{}", "scripts/main.py": counter})
	}
	warm := &Warm{}
	t.Cleanup(warm.Close)
	answers := make([]string, 20)
	var wg sync.WaitGroup
	for i := range answers {
		e := engine(t, all) // an engine is for one goroutine
		e.Warm = warm
		wg.Go(func() {
			res, err := e.Do(t.Context(), Call{Name: "count-0__next"})
			if answers[i] = string(res.Result); err != nil || !res.Success {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	wg.Wait()
	slices.Sort(answers)
	if len(slices.Compact(answers)) != 20 {
		t.Errorf("twenty calls of one server answer %v", answers)
	}
	first := engine(t, all)
	first.Warm = warm
	for i := range maxWarm + 1 {
		for want := range 2 {
			if i == 0 {
				want += 20
			}
			if i == maxWarm {
				want = 0
			}
			res := do(t, first, fmt.Sprintf("count-%d__next", i), "")
			var got int
			if err := json.Unmarshal(res.Result, &got); err != nil || got != want+1 {
				t.Errorf("count-%d answers %s, want %d", i, res.Result, want+1)
			}
		}
	}
}
