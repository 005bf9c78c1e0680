package clients_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/agents/agenttest"
)

// played checks that the model's script was played, and that the first request has the texts.
func (p *person) played(m *agenttest.Model, texts ...string) {
	p.Helper()
	all := m.Requests()
	if left := m.Left(); left > 0 || len(all) == 0 {
		for _, r := range all {
			p.Logf("%s", r.Last[max(0, len(r.Last)-1500):])
		}
		p.Fatalf("%d turns were not played", left)
	}
	for _, text := range texts {
		if !strings.Contains(all[0].Body, text) {
			p.Errorf("the model does not get %q", text)
		}
	}
}

// hasTools checks whether a request offers all tools of the server, or none of them.
func hasTools(t *testing.T, r agenttest.Request, prefix string, want bool) {
	t.Helper()
	for _, tool := range []string{"find", "load", "call", "propose", "status", "report"} {
		if slices.Contains(r.Tools, prefix+tool) != want {
			t.Errorf("offered is %s%s: %v, want %v", prefix, tool, !want, want)
		}
	}
}

// copyOf returns a synced skill's file, and checks at the end of the test that no client edited it.
func (p *person) copyOf(folder, skill string) string {
	p.Helper()
	file := filepath.Join(p.project, folder, "skills", skill, "SKILL.md")
	before, err := os.ReadFile(file)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
			p.Errorf("the copy of a skill in force was edited: %v", err)
		}
	})
	return file
}

const (
	identity = "You are the agent scout of an assent workspace"
	wrapped  = "python3 -c 'from parse_csv import main'"
	byName   = "Call it by name with the tool call of the server assent, instead of running code around it:"
)

// TestClaudeCodeWraps: code around a tool in force runs, and the model reads that it should call the tool by name.
func TestClaudeCodeWraps(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "Bash", Input: map[string]any{"command": wrapped + " || echo it-ran"}},
		agenttest.Turn{When: byName, Say: "done"},
	)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose")
	p.played(m)
	if last := m.Requests()[1].Last; !strings.Contains(last, "it-ran") || !strings.Contains(last, "- parse-csv (tool; call)") {
		t.Errorf("the model reads %s", last)
	}
}

// TestCodexHooks: once its hooks are trusted, Codex has the identity and what fits a prompt, keeps a patch out
// of a synced skill, and goes on once for what the agent lacked.
func TestCodexHooks(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "codex", "--workspace", p.ws)
	p.copyOf(".agents", "incident-notes")
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "apply_patch", Input: "*** Begin Patch\n*** Add File: mine.md\n+x\n*** Delete File: .agents/skills/incident-notes/SKILL.md\n*** End Patch"},
		agenttest.Turn{When: "is a copy of the skill incident-notes", Tool: "apply_patch", Input: "*** Begin Patch\n*** Add File: .agents/skills/rogue/SKILL.md\n+x\n*** End Patch"},
		agenttest.Turn{When: "would be new in a folder that assent sync keeps", Tool: "exec_command", Input: map[string]any{"cmd": "mkdir .agents/skills/rogue"}},
		agenttest.Turn{When: "would be new in a folder that assent sync keeps", Tool: "exec_command", Input: map[string]any{"cmd": wrapped}},
		agenttest.Turn{When: byName, Tool: "apply_patch", Input: "*** Begin Patch\n*** Add File: ../ws/soul/scout/more.md\n+x\n*** End Patch"},
		agenttest.Turn{When: "no effect until it is proposed", Say: "I would need an MCP for Jira."},
		agenttest.Turn{When: "jira (mcp): nothing serves it", Say: "done"},
	)
	p.codex(m, "BEGIN-HERE, the csv has broken quotes, clean it up", "--trust", "--dangerously-bypass-hook-trust",
		"-m", "gpt-5.5") // of the models that Codex knows, one that gets the tool apply_patch
	p.played(m, identity, "parse-csv (tool; call)")
}

// codex runs Codex in the project, with a model.
func (p *person) codex(m *agenttest.Model, prompt string, args ...string) {
	p.Helper()
	p.run(p.project, filepath.Join(p.clients, "codex"), append(append([]string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"}, args...),
		"-c", "model_provider=mock", "-c", `model_providers.mock={name="mock",base_url="`+m.URL+`/v1",wire_api="responses",env_key="OPENAI_API_KEY"}`, prompt)...)
}

// TestCodexLoads: a skill that a command of Codex reads is recorded as loaded, and so is one that Codex adds to a prompt
// which mentions it. A command that only names the file reads nothing.
func TestCodexLoads(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "codex", "--workspace", p.ws)
	file := p.copyOf(".agents", "incident-notes")
	exec := func(when, command string) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "exec_command", Input: map[string]any{"cmd": command}}
	}
	m := agenttest.Serve(t,
		exec("BEGIN-HERE", "sed -n '1,200p' "+file),
		exec("an account that hurts", "ls .agents/skills/clean-a-csv/SKILL.md"),
		agenttest.Turn{When: ".agents/skills/clean-a-csv/SKILL.md", Say: "done"},
	)
	p.codex(m, "BEGIN-HERE $changelog-entry", "--trust", "--dangerously-bypass-hook-trust", "-m", "scripted")
	p.played(m, identity, "<name>changelog-entry</name>")
	got := p.uses()
	if got["incident-notes"] != [2]int{0, 1} || got["changelog-entry"] != [2]int{0, 1} || got["clean-a-csv"] != [2]int{} {
		t.Errorf("uses listed and loaded: %v", got)
	}
}

// TestGeminiHooks: the same with Gemini CLI, which also says which skill it loaded.
func TestGeminiHooks(t *testing.T) {
	p := real(t)
	if err := os.Mkdir(filepath.Join(p.project, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`
	if err := os.WriteFile(filepath.Join(p.project, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(p.project, p.assent, "connect", "gemini", "--workspace", p.ws)
	file := p.copyOf(".gemini", "incident-notes")
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "write_file", Input: map[string]any{"file_path": file, "content": "mine"}},
		agenttest.Turn{When: "is a copy of the skill incident-notes", Tool: "activate_skill", Input: map[string]any{"name": "clean-a-csv"}},
		agenttest.Turn{When: "What does not convert stays as it is", Tool: "run_shell_command", Input: map[string]any{"command": wrapped, "description": "wrap it"}},
		agenttest.Turn{When: byName, Say: "I would need an MCP for Jira."},
		agenttest.Turn{When: "jira (mcp): nothing serves it", Say: "done"},
	)
	p.env = append(p.env, "GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL="+m.URL, "GEMINI_CLI_TRUST_WORKSPACE=true")
	p.run(p.project, filepath.Join(p.clients, "gemini"), "-m", "gemini-2.5-pro", "-y", "-p", "BEGIN-HERE, the csv has broken quotes, clean it up")
	p.played(m, identity, "parse-csv (tool; call)")
	if loaded := p.uses()["clean-a-csv"]; loaded != [2]int{1, 1} {
		t.Errorf("clean-a-csv is listed and loaded %v", loaded)
	}
}

// tally is a server that counts its calls, with its test.
var tally = map[string]string{
	"skills/tally/SKILL.md":        "---\nname: tally\ndescription: Counts the calls of a session. Use when calls have to be counted.\n---\n# Tally\n\nCall next.\n",
	"skills/tally/capability.yaml": "kind: mcp\nversion: 1.0.0\nstatus: active\nrisk: low\nrun: {runtime: mcp-stdio, entry: scripts/main.py, timeout: 60s}\n",
	"skills/tally/tests.yaml":      "cases:\n  - {name: counts, input: {method: next, input: {}}, expect: {contains: \"1\"}, tags: [smoke]}\n",
	"skills/tally/server.json":     "{}",
	"skills/tally/scripts/main.py": `import json, sys
calls = 0
for line in sys.stdin:
    m = json.loads(line)
    out = {}
    if m["method"] == "initialize":
        out = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
    elif m["method"] == "tools/list":
        out = {"tools": [{"name": "next", "description": "Counts", "inputSchema": {"type": "object"}}]}
    elif m["method"] == "tools/call":
        calls += 1
        out = {"content": [{"type": "text", "text": "call number %d" % calls}]}
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": out}), flush=True)
`,
}

// merged has a person merge files.
func (p *person) merged(files map[string]string) {
	p.Helper()
	top := p.TempDir()
	for name, text := range files {
		file := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			p.Fatal(err)
		}
	}
	var opened struct{ ID string }
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "propose", top, "--agent", "scout", "--goal", "count calls", "--json")), &opened); err != nil {
		p.Fatal(err)
	}
	p.run(p.ws, p.assent, "test", opened.ID)
	p.approve()
}

// TestServer: clients call a server in force, in the sandbox, which runs on between the calls of a client.
func TestServer(t *testing.T) {
	for _, program := range []string{"bwrap", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	p := real(t)
	p.merged(tally)
	for client, call := range map[string]agenttest.Turn{
		"claude-code": {Tool: "mcp__assent__call"}, "codex": {Tool: "call", Namespace: "mcp__assent"}, "opencode": {Tool: "assent_call"},
	} {
		t.Run(client, func(t *testing.T) {
			p := *p
			p.T = t
			next := func(when string) agenttest.Turn {
				one := call
				one.When, one.Input = when, map[string]any{"name": "tally__next"}
				return one
			}
			m := agenttest.Serve(t, next("BEGIN-HERE"), next("call number 1"), agenttest.Turn{When: "call number 2", Say: "done"})
			switch client {
			case "opencode":
				p.openCode(m)
			case "codex":
				p.run(p.project, p.assent, "connect", client, "--workspace", p.ws)
				p.codex(m, "BEGIN-HERE", "-m", "scripted", "--trust")
			default:
				p.run(p.project, p.assent, "connect", client, "--workspace", p.ws)
				p.claude(m, "mcp__assent")
			}
			p.played(m)
		})
	}
}

// claude runs Claude Code in the project, with a model, which may use the tools.
func (p *person) claude(m *agenttest.Model, tools string) {
	p.Helper()
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE", "--allowedTools", tools, "--output-format", "stream-json", "--verbose")
}

// TestClaudeCodeCaps: the calls of a session are counted together, and the model reads when they are used up. The next session
// has its own.
func TestClaudeCodeCaps(t *testing.T) {
	p := real(t)
	limits, err := os.ReadFile(filepath.Join(p.ws, "policies", "limits.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p.merged(map[string]string{"policies/limits.yaml": strings.Replace(string(limits), "executions_per_session: 100", "executions_per_session: 2", 1)})
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	call := func(when, text string) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "mcp__assent__call", Input: map[string]any{"name": "measure_text", "input": map[string]any{"text": text}}}
	}
	for range 2 {
		m := agenttest.Serve(t, call("BEGIN-HERE", "one"), call(`"words":1`, "one two"), call(`"words":2`, "one two three"),
			agenttest.Turn{When: "the session has made 2 executions, and may make 2", Say: "done"})
		p.claude(m, "mcp__assent")
		p.played(m)
	}
}
