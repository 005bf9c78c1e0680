package mcpserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/workspace"
)

// TestNonsense: invalid lines are answered, and the session continues.
func TestNonsense(t *testing.T) {
	w := plain(t, begin(t).agent("scout"))
	w.initialize()
	for _, c := range []struct {
		line string
		code float64
	}{
		{"nonsense", -32700},
		{`{"jsonrpc":"2.0","id":1,`, -32700},
		{"\x00\xff\xfe", -32700},
		{"7", -32600},
		{"[]", -32600},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{`{"id":1}`, -32600},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"no/such/method"}`, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve","arguments":{}}}`, -32602},
		{strings.Repeat("x", 33<<20), -32600},
	} {
		w.send("\n")
		w.send(c.line)
		got, _ := w.answer()["error"].(map[string]any)
		if len(c.line) > 100 {
			c.line = c.line[:100] + "…"
		}
		if got["code"] != c.code || got["message"] == "" {
			t.Errorf("%q is answered %v", c.line, got)
		}
	}
	w.send(`{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"status"}}`)
	if got := w.answer(); got["id"] != "last" || got["error"] != nil {
		t.Errorf("afterwards: %v", got)
	}
	w.to.Close()
	w.ends()
}

// TestEndOfInput: requests before the end of input are answered, then the server ends.
func TestEndOfInput(t *testing.T) {
	w := plain(t, begin(t).agent("scout"))
	w.initialize()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"status"}}`)
	w.to.Close()
	if got := w.answer(); got["id"] != 1.0 || got["result"] == nil {
		t.Errorf("the last answer: %v", got)
	}
	w.ends()
}

// TestCancelled: a cancelled request stops, and frees its place.
func TestCancelled(t *testing.T) {
	d := begin(t)
	a := d.agent("scout")
	open, entered, stopped := a.Open, make(chan bool), make(chan bool)
	a.Open = func(ctx context.Context) (workspace.Session, error) {
		if a.Session == "test" {
			entered <- true
			<-ctx.Done()
			stopped <- true
			return workspace.Session{}, ctx.Err()
		}
		return open(ctx)
	}
	w := plain(t, a)
	w.initialize()
	for range 10 { // more than there are places
		w.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"find","arguments":{"words":"x"}}}`)
		<-entered
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"the person stopped it"}}`)
		<-stopped
		w.answer()
	}
	a.Session = "free"
	w.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"find","arguments":{"words":"x"}}}`)
	if got := w.answer(); got["id"] != 6.0 || got["result"] == nil {
		t.Errorf("afterwards: %v", got)
	}
	w.to.Close()
	w.ends()
}
