package install

import (
	"os"
	"path/filepath"
	"testing"
)

// TestConnectKeepsAdditions: a repeated connect keeps what a person added to the server's entry, byte for byte if nothing
// else changes.
func TestConnectKeepsAdditions(t *testing.T) {
	for client, c := range map[Client]struct{ src, changed string }{
		ClaudeCode: {
			`{"mcpServers": {"assent": {"command": "assent", "timeout": 1e3, "args": ["mcp"], "env": {"ASSENT_SECRET_JIRA": "s"}}}}`,
			`{"mcpServers": {"assent": {"args":["mcp"],"command":"assent","env":{"ASSENT_HOME":"/h","ASSENT_SECRET_JIRA":"s"},"timeout":1e3}}}`,
		},
		Cursor: {
			`{"mcpServers": {"assent": {"command":"assent","args":["mcp"],"env":null}}}`,
			`{"mcpServers": {"assent": {"args":["mcp"],"command":"assent","env":{"ASSENT_HOME":"/h"}}}}`,
		},
		OpenCode: {
			`{"mcp": {"assent": {"type": "local", "command": ["assent", "mcp"], "enabled": false, "environment": {"A": "b"}}}}`,
			`{"mcp": {"assent": {"command":["assent","mcp"],"enabled":false,"environment":{"A":"b","ASSENT_HOME":"/h"},"type":"local"}}}`,
		},
	} {
		w := Where{Client: client, Dir: t.TempDir(), Command: "assent", Args: []string{"mcp"}}
		file := filepath.Join(w.Dir, w.serverFile())
		for _, home := range []string{"", "/h"} {
			want := c.src
			if home != "" {
				w.Env, want = map[string]string{homeVariable: home}, c.changed
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.src), 0o600); err != nil {
				t.Fatal(err)
			}
			edits, err := w.Connect(Memory{})
			if client == Cursor && home == "" { // the value of nothing goes
				want = `{"mcpServers": {"assent": {"args":["mcp"],"command":"assent"}}}`
			}
			if err != nil || string(edits[0].After) != want {
				t.Errorf("%s: %v\n%s\nwant %s", client, err, edits[0].After, want)
			}
		}
	}
}
