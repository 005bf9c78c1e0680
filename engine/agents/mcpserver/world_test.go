package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-dev/assent/engine/agents/mcpserver"
	"github.com/assent-dev/assent/engine/agents/toolset"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/review"
	"github.com/assent-dev/assent/engine/gate/stop"
	"github.com/assent-dev/assent/engine/home/calls"
	"github.com/assent-dev/assent/engine/proposals/approve"
	"github.com/assent-dev/assent/engine/proposals/merge"
	"github.com/assent-dev/assent/engine/proposals/propose"
	"github.com/assent-dev/assent/engine/sandbox"
	"github.com/assent-dev/assent/engine/tools/tool"
	"github.com/assent-dev/assent/engine/workspace"
	"github.com/assent-dev/assent/engine/workspace/worldtest"

	"github.com/assent-dev/assent/engine/forge"
)

// world is a workspace with one human and two agents.
type world struct {
	*worldtest.World
	warm *tool.Warm // nil: servers end with each call
}

func begin(t *testing.T) world {
	t.Helper()
	return world{World: worldtest.NewWith(t, worldtest.Untested, "scout", "smith")}
}

// agent returns an agent, such as scout, whose program opens the workspace again for each
// operation.
func (d world) agent(name string) *toolset.Agent {
	dir, home := d.Repo.Root(), d.TempDir()
	open := func(ctx context.Context) (workspace.Session, error) {
		around := d.Surroundings()
		around.Sandbox = func(ctx context.Context) (sandbox.Runner, error) { return sandbox.New(ctx) }
		w, err := workspace.Open(dir, around)
		if err != nil {
			return workspace.Session{}, err
		}
		return w.Session(ctx)
	}
	return &toolset.Agent{Name: name, Session: "test", Program: toolset.Program{
		Open: open, Join: open, Look: open,
		Engine: func(cur workspace.Session, agent, session string) (*tool.Engine, error) {
			return &tool.Engine{
				View: cur.View, Policies: cur.Policies, Agent: agent, Session: session, Ledger: calls.NewLedger(home, cur.ID()), Warm: d.warm,
				Health: workspace.HealthOf(cur), Now: cur.Now, Packages: home,
				Secret:     func(string) (string, bool, error) { return "", false, nil },
				SecretHint: func(string) string { return "" },
				Stopped: func(name string) (stop.Held, bool, error) {
					all, err := cur.Stops(context.Background())
					held, stopped := all.Of(name)
					return held, stopped, err
				},
				Runner: sandboxOf(d.T),
			}, nil
		},
		Explain: func(err error) (string, string) { return err.Error(), "see the test" },
	}}
}

// sandboxOf skips the test on a machine that cannot isolate.
func sandboxOf(t *testing.T) func(context.Context) (sandbox.Runner, error) {
	return func(ctx context.Context) (sandbox.Runner, error) {
		b, err := sandbox.New(ctx)
		if refused := (*sandbox.Refusal)(nil); errors.As(err, &refused) {
			t.Skip(err)
		}
		return b, err
	}
}

// inForce merges a change, approved by Ada. A file without text is removed.
func (d world) inForce(files map[string]string) {
	d.Helper()
	var edits []tree.Edit
	for path, text := range files {
		edits = append(edits, tree.Edit{Path: path, Content: []byte(text), Remove: text == ""})
	}
	r := d.Request(edits)
	r.Proposal.Goal = "bring what the test needs"
	out, err := propose.Open(d.Context(), d.Workspace, r)
	d.OK(err)
	if !out.Opened {
		d.Fatalf("not opened: %v", out.Diagnostics)
	}
	d.merge(out.Pull.ID)
}

// merge approves and merges a proposal.
func (d world) merge(id string) {
	d.Helper()
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.Approve, Reason: "read it", Signer: d.Ada})
	d.OK(err)
	merged, err := merge.Run(d.Context(), d.Workspace, id, forge.Actor{Name: "ada"}, false)
	d.OK(err)
	if !merged.Merged {
		d.Fatalf("%s is not merged: %s", id, merged.Refused)
	}
}

func skill(name, body string) map[string]string {
	return map[string]string{"skills/" + name + "/SKILL.md": fmt.Sprintf(
		"---\nname: %s\ndescription: Ties a %[1]s in a rope. Use when a rope has to hold.\n---\n# Tie\n\n%s\n", name, body)}
}

// doubler is a tool that needs no sandbox; more are lines of its record.
func doubler(name string, more ...string) map[string]string {
	files := skill(name, "Doubles a number.")
	files["skills/"+name+"/capability.yaml"] = "kind: tool\nversion: 1.0.0\nlayer: composed\nrun: {runtime: starlark, entry: scripts/main.star}\n" +
		"input: {type: object, properties: {n: {type: integer}}, required: [n], additionalProperties: false}\n" + strings.Join(more, "\n") + "\n"
	files["skills/"+name+"/scripts/main.star"] = "def main(input):\n  return {\"twice\": input[\"n\"] * 2}\n"
	return files
}

// connect begins a session of a real client with the server.
func connect(t *testing.T, a *toolset.Agent) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		err := mcpserver.Serve(ctx, mcpserver.Settings{Agent: a}, fromClient, toClient)
		toClient.Close()
		served <- err
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "a test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		toServer.Close()
		if err := <-served; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		cancel()
	})
	return s
}

// call calls a tool, and returns its texts.
func call(t *testing.T, s *mcp.ClientSession, name string, arguments any) (text string, failed bool) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var texts []string
	for _, c := range res.Content {
		texts = append(texts, c.(*mcp.TextContent).Text)
	}
	return strings.Join(texts, "\n"), res.IsError
}

// data calls a tool, which must succeed, and decodes its structured answer.
func data[T any](t *testing.T, s *mcp.ClientSession, name string, arguments any) (out T) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if res.IsError {
		t.Fatalf("%s: %s", name, res.Content[0].(*mcp.TextContent).Text)
	}
	text, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wire is a conversation in plain lines, for messages that no library would send.
type wire struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Scanner
	done chan error
}

func plain(t *testing.T, a *toolset.Agent) *wire {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	w := &wire{t: t, to: toServer, from: bufio.NewScanner(fromServer), done: make(chan error, 1)}
	w.from.Buffer(nil, 64<<20)
	go func() {
		err := mcpserver.Serve(t.Context(), mcpserver.Settings{Agent: a}, fromClient, toClient)
		toClient.Close()
		w.done <- err
	}()
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.to, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// answer is the next line of the server.
func (w *wire) answer() map[string]any {
	w.t.Helper()
	if !w.from.Scan() {
		w.t.Fatalf("the server said nothing more: %v", w.from.Err())
	}
	var out map[string]any
	if err := json.Unmarshal(w.from.Bytes(), &out); err != nil {
		w.t.Fatalf("%q: %v", w.from.Text(), err)
	}
	return out
}

func (w *wire) initialize() {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`)
	if got := w.answer(); got["error"] != nil {
		w.t.Fatal(got)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// ends waits until the server has ended.
func (w *wire) ends() {
	w.t.Helper()
	select {
	case err := <-w.done:
		if err != nil {
			w.t.Errorf("the server ended with: %v", err)
		}
	case <-time.After(time.Minute):
		w.t.Fatal("the server does not end")
	}
}

// requestChanges sends a proposal back.
func (d world) requestChanges(id, why string) {
	d.Helper()
	_, err := approve.Run(d.Context(), d.Workspace, approve.Decision{Proposal: id, Decision: review.RequestChanges, Reason: why, Signer: d.Ada})
	d.OK(err)
}
