package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/agents/agenttest"
)

// market is a copy of this repository's marketplace, so that a client writes nothing into this repository. The project names
// its workspace, and finds the program on its PATH.
func (p *person) market() string {
	p.Helper()
	dir := p.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".claude-plugin"), os.DirFS("../../../.claude-plugin")); err != nil {
		p.Fatal(err)
	}
	for i, v := range p.env {
		if path, is := strings.CutPrefix(v, "PATH="); is {
			p.env[i] = "PATH=" + filepath.Dir(p.assent) + string(os.PathListSeparator) + path
		}
	}
	p.run(p.project, "git", "config", "assent.workspace", p.ws)
	return dir
}

// TestClaudeCodePlugin: the real client accepts this repository's plugin, and with it does what it does after assent
// connect: identity, what fits a prompt, find, load, call, propose, and use of what was approved meanwhile.
func TestClaudeCodePlugin(t *testing.T) {
	p := real(t)
	market := p.market()
	claude := filepath.Join(p.clients, "claude")
	p.run(p.project, claude, "plugin", "validate", "--strict", market)
	p.run(p.project, claude, "plugin", "validate", "--strict", filepath.Join(market, ".claude-plugin", "assent"))
	p.run(p.project, claude, "plugin", "marketplace", "add", market)
	p.run(p.project, claude, "plugin", "install", "assent@assent", "--scope", "project", "--config", "agent=scout")
	const prefix = "mcp__plugin_assent_assent__"
	turns := story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: prefix + tool, Input: input}
	})
	turns[len(turns)-1].Say = "I would need an MCP for Jira."
	m := agenttest.Serve(t, append(turns, agenttest.Turn{When: "jira (mcp): nothing serves it", Say: "done"})...)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, claude, "-p", "BEGIN-HERE, the csv has broken quotes, clean it up", "--allowedTools", strings.TrimSuffix(prefix, "__"), "--output-format", "stream-json", "--verbose")
	p.played(m, identity, "parse-csv (tool; call)")
	hasTools(t, m.Requests()[0], prefix, true)
	if slices.ContainsFunc(m.Requests()[0].Tools, func(name string) bool { return strings.HasSuffix(name, "__hook") }) {
		t.Error("the tool that answers hooks is listed")
	}
}

// TestCodexPlugin: the same with Codex, which reads the same marketplace.
func TestCodexPlugin(t *testing.T) {
	p := real(t)
	market, codex := p.market(), filepath.Join(p.clients, "codex")
	p.run(p.project, codex, "plugin", "marketplace", "add", market)
	p.run(p.project, codex, "plugin", "add", "assent@assent")
	person := *p
	m := agenttest.Serve(t, story(&person, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: tool, Namespace: "mcp__assent", Input: input}
	})...)
	p.env = append(slices.Clone(p.env), "ASSENT_AGENT=scout") // the client's alone: the person who approves is no agent
	p.codex(m, "BEGIN-HERE, the csv has broken quotes, clean it up", "--trust", "--dangerously-bypass-hook-trust", "-m", "scripted")
	p.played(m, identity, "parse-csv (tool; call)")
	hasTools(t, m.Requests()[0], "mcp__assent::", true)
}
