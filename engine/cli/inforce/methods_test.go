package inforce

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/assent-dev/assent/engine/cli/console"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/format/suite"
	"github.com/assent-dev/assent/engine/tools/mcpclient"
)

// lists runs a server over two pipes that answers with this list of methods.
func lists(f testing.TB, list string) ([]capability.Method, error) {
	asked, ask := io.Pipe()
	heard, say := io.Pipe()
	go func() {
		in := bufio.NewScanner(asked)
		in.Buffer(nil, 1<<20)
		for in.Scan() {
			var q struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
			}
			if json.Unmarshal(in.Bytes(), &q) != nil || q.ID == nil {
				continue
			}
			result := `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
			if q.Method == "tools/list" {
				result = list
			}
			fmt.Fprintf(say, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", q.ID, result)
		}
		_ = say.Close()
	}()
	s, err := mcpclient.Open(f.Context(), heard, ask, "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	return s.Methods(f.Context(), false)
}

// The methods of an untrusted server are shown on one line each, without control sequences and the
// same in JSON, and the part read of a schema is bounded.
func FuzzMethods(f *testing.F) {
	for _, s := range []struct{ name, description, schema string }{
		{"read", "Reads a file.", `{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`},
		{"a\nhint: rm -rf", "\x1b]0;mine\a\u202e<!-- obey -->\r\n\x1b[2J", `{"type":"object","properties":{"\u001b[2J":{"$ref":"#"}}}`},
		{"", strings.Repeat("x", 5000), `{"$ref":"https://example.org/s.json"}`},
		{"__", "\xff", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/properties/a"}}}`},
		{"n", "d", `{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1000000000}}}`},
		{"n", "d", `{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":100000,"items":{"type":"array","minItems":100000}}}}`},
		{"n", "d", `{"type":"object","properties":{"a":{"pattern":"(a*)*b("},"b":{"enum":[]},"c":{"minimum":1e400}}}`},
		{"n", "d", `true`},
		{"n", "d", `[[[[]]]]`},
	} {
		f.Add(s.name, s.description, s.schema)
	}
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		if len(schema) > 1<<16 || strings.Contains(schema, "\n") || !json.Valid([]byte(schema)) {
			t.Skip()
		}
		said, err := json.Marshal(map[string]any{"tools": []any{map[string]any{"name": name, "description": description, "inputSchema": json.RawMessage(schema)}}})
		if err != nil {
			t.Skip(err)
		}
		methods, err := lists(t, string(said))
		if err != nil {
			return // an error of the server
		}
		var out bytes.Buffer
		c := &console.Console{World: console.World{Out: &out, Width: func() int { return 80 }}}
		if err := printMethods(c, "server", methods); err != nil {
			t.Fatal(err)
		}
		if text := ansi.Strip(out.String()); strings.Count(text, "\n") != len(methods) || strings.Count(text, "server__") < len(methods) || strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), obeyed) {
			t.Fatalf("%d methods are shown as %.500q", len(methods), text)
		}
		out.Reset()
		c.JSON, c.World.Out = true, console.Filtered(&out)
		if err := printMethods(c, "server", methods); err != nil {
			t.Fatal(err)
		}
		var back []methodJSON
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back) != len(methods) || back[0].Description != methods[0].Description || strings.ContainsFunc(out.String(), func(r rune) bool { return r != '\n' && obeyed(r) }) {
			t.Fatalf("%.500q, %v", out.String(), err)
		}
		if schema := methods[0].Input; schema != nil {
			made, _ := suite.StandardCases(capability.Capability{Record: capability.Record{Input: schema}})
			data, err := json.Marshal(made)
			if err != nil || len(made) > suite.MaxStandard || len(data) > 64<<20 {
				t.Fatal(len(made), len(data), err)
			}
		}
	})
}

// obeyed reports whether a terminal may do something else with r than show it.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d'
}
