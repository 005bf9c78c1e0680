package clients_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-dev/assent/engine/agents/agenttest"
	"github.com/assent-dev/assent/engine/cli/clitest"
)

// person has a workspace, a project that a real client works in, and the program.
type person struct {
	*testing.T
	assent, ws, project string
	clients             string // the folder of the clients' programs
	env                 []string
}

// real skips where the clients are not installed: .ci/clients installs them. The workspace has the
// agent scout, and more.
func real(t *testing.T, more ...string) *person {
	t.Helper()
	clients := os.Getenv("ASSENT_TEST_CLIENTS")
	if clients == "" {
		t.Skip("set ASSENT_TEST_CLIENTS to what .ci/clients prints to drive real agent clients")
	}
	top, home := t.TempDir(), t.TempDir()
	p := &person{T: t, assent: filepath.Join(top, "assent"), ws: filepath.Join(top, "ws"), project: filepath.Join(top, "project"), clients: clients}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", p.assent, "github.com/assent-dev/assent/cmd/assent")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.env = []string{"HOME=" + home, "PATH=" + clients + string(os.PathListSeparator) + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"IS_SANDBOX=1", "DISABLE_TELEMETRY=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "ANTHROPIC_API_KEY=x", "OPENAI_API_KEY=x"}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(clitest.GitConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.project, 0o700); err != nil {
		t.Fatal(err)
	}
	init := []string{"init", "ws", "--agent", "scout"}
	for _, name := range more {
		init = append(init, "--agent", name)
	}
	p.run(top, p.assent, init...)
	var who struct{ Key string }
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "whoami", "--json")), &who); err != nil {
		t.Fatal(err)
	}
	// The person signs without a terminal: they said so in their own folder, which holds keys/.
	if err := os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(who.Key)), "config.yaml"), []byte("unattended: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(p.project, "git", "init", "-q")
	return p
}

// run runs a program that has to succeed.
func (p *person) run(dir, program string, args ...string) string {
	p.Helper()
	cmd := exec.CommandContext(p.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// approve is the person's own decision, made while the client waits for the model.
func (p *person) approve() {
	out := exec.CommandContext(p.Context(), p.assent, "-C", p.ws, "status", "--json")
	out.Env = p.env
	data, err := out.Output()
	var status struct{ Proposals []struct{ ID string } }
	if err != nil || json.Unmarshal(data, &status) != nil || len(status.Proposals) != 1 {
		p.Errorf("one proposal should be open: %v %s", err, data)
		return
	}
	for _, args := range [][]string{{"review", status.Proposals[0].ID, "approve", "--reason", "read it"}, {"merge", status.Proposals[0].ID}} {
		cmd := exec.CommandContext(p.Context(), p.assent, append([]string{"-C", p.ws}, args...)...)
		cmd.Env = p.env
		if said, err := cmd.CombinedOutput(); err != nil {
			p.Errorf("%v: %v\n%s", args, err, said)
		}
	}
}

const bowline = "---\nname: bowline\ndescription: Ties a bowline in a rope. Use when a rope has to hold.\n---\n# Tie\n\nMake a loop the size of a fist.\n"

// story returns the model's turns, with a client's names of the tools.
func story(p *person, turn func(when, tool string, input any) agenttest.Turn) []agenttest.Turn {
	merged := turn("waiting", "load", map[string]any{"name": "bowline"})
	merged.Before = p.approve
	return []agenttest.Turn{
		turn("BEGIN-HERE", "find", map[string]any{"words": "incident timeline"}),
		turn("incident-notes", "load", map[string]any{"name": "incident-notes"}),
		turn("an account that hurts", "call", map[string]any{"name": "measure_text", "input": map[string]any{"text": "two words"}}),
		turn(`"words":2`, "load", map[string]any{"name": "bowline"}),
		turn(`nothing in force is called`, "propose", map[string]any{"goal": "tie a bowline", "files": map[string]any{"SKILL.md": bowline}}),
		merged,
		{When: "Make a loop the size of a fist.", Say: "done"},
	}
}

// checkRequests asserts on the client's requests: the tools, the instructions, and an answer for
// each call.
func checkRequests(p *person, m *agenttest.Model, tools ...string) {
	p.Helper()
	all := m.Requests()
	if left := m.Left(); left > 0 || len(all) == 0 {
		for _, r := range all[max(0, len(all)-10):] {
			p.Logf("tools %v\n%s", r.Tools, r.Last[max(0, len(r.Last)-1500):])
		}
		p.Fatalf("%d turns were not played, after %d requests", left, len(all))
	}
	for _, name := range tools {
		if !slices.Contains(all[0].Tools, name) {
			p.Errorf("the client does not offer %s: %v", name, all[0].Tools)
		}
	}
	if !strings.Contains(all[0].Body, "Before you build something, look for it") {
		p.Error("the model does not get the instructions")
	}
	if !strings.Contains(all[0].Body, "incident-notes") {
		p.Error("the client does not list the skills that connect synced")
	}
	if last := all[len(all)-1].Last; !strings.Contains(last, "Make a loop the size of a fist.") {
		p.Errorf("a merge in the session is not loaded in it: %s", last)
	}
}

// recorded checks the session that the README shows, step by step: what is typed, what the model calls, and what the client
// then sends to it. "…" stands for anything.
func recorded(p *person, m *agenttest.Model, client string) {
	p.Helper()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		p.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## In an agent's client\n")
	section, _, _ = strings.Cut(section, "\n## ")
	before, _, _ := strings.Cut(section, "\n→ ")
	if !strings.Contains(before, "assent connect "+client+" --workspace ../agents") || strings.Count(before, "\n$ ") != 2 {
		p.Errorf("the README does not connect %s by two commands: %s", client, before)
	}
	has := func(text, shown string) bool {
		for part := range strings.SplitSeq(shown, "…") {
			_, rest, is := strings.Cut(text, strings.TrimSpace(part))
			if !is {
				return false
			}
			text = rest
		}
		return true
	}
	turns, requests := story(p, func(when, tool string, input any) agenttest.Turn { return agenttest.Turn{Tool: tool, Input: input} }), m.Requests()
	for line := range strings.Lines(section) {
		if call, is := strings.CutPrefix(line, "→ "); is {
			input, err := json.Marshal(turns[0].Input)
			if err != nil || !has(turns[0].Tool+" "+string(input), call) {
				p.Errorf("the README has the call %s, the model made %s %s", call, turns[0].Tool, input)
			}
			turns, requests = turns[1:], requests[1:]
		}
		if answer, is := strings.CutPrefix(line, "← "); is && !has(requests[0].Last, answer) {
			p.Errorf("the README has the answer %s, the model got %s", answer, requests[0].Last)
		}
	}
	if len(turns) != 1 { // the last one ends the session
		p.Errorf("the README shows %d calls too few", len(turns)-1)
	}
}

// TestClaudeCode: the real client, after assent connect, finds, loads, calls and proposes, and
// uses a change that a person approved in the same session.
func TestClaudeCode(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	m := agenttest.Serve(t, listed(story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "mcp__assent__" + tool, Input: input}
	}))...)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE", "--allowedTools", "mcp__assent,Skill", "--output-format", "stream-json", "--verbose")
	checkRequests(p, m, "mcp__assent__find", "mcp__assent__load", "mcp__assent__call", "mcp__assent__propose", "mcp__assent__status", "mcp__assent__report")
	recorded(p, m, "claude-code")
	all := m.Requests()
	if !strings.Contains(all[len(all)-1].Body, "bowline: Ties a bowline in a rope.") {
		t.Error("the client does not list the skill that was merged in its session")
	}
}

// listed has Claude Code's own tool load the skill that story merged. The model repeats the call until the client knows the skill.
func listed(turns []agenttest.Turn) []agenttest.Turn {
	last := &turns[len(turns)-1]
	again := agenttest.Turn{When: "Unknown skill: bowline", Tool: "Skill", Input: map[string]any{"skill": "bowline"}, Spare: true}
	last.Tool, last.Input, last.Say = again.Tool, again.Input, ""
	turns = append(turns, slices.Repeat([]agenttest.Turn{again}, 1000)...)
	return append(turns, agenttest.Turn{When: "Make a loop the size of a fist.", Say: "done"})
}

// daemon serves agents' clients over HTTP, and returns the server's address.
func (p *person) daemon(tokens string) (address string) {
	p.Helper()
	file := filepath.Join(p.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(tokens), 0o600); err != nil {
		p.Fatal(err)
	}
	cmd := exec.CommandContext(p.Context(), p.assent, "-C", p.ws, "serve", "--listen", "127.0.0.1:0", "--mcp-tokens-file", file)
	cmd.Env = p.env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = cmd.Wait() }) // the test's context ended it
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return line.Address
		}
	}
	p.Fatal("the daemon does not serve")
	return ""
}

// TestClaudeCodeOverHTTP: the same through the daemon, as the agent of a token.
func TestClaudeCodeOverHTTP(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	const token = "0123456789abcdef0123456789abcdef"
	settings := `{"mcpServers": {"assent": {"type": "http", "url": "http://` + p.daemon("scout "+token+"\n") + `/mcp", "headers": {"Authorization": "Bearer ` + token + `"}}}}`
	if err := os.WriteFile(filepath.Join(p.project, ".mcp.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	m := agenttest.Serve(t, story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "mcp__assent__" + tool, Input: input}
	})...)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE", "--allowedTools", "mcp__assent", "--output-format", "stream-json", "--verbose")
	checkRequests(p, m, "mcp__assent__find", "mcp__assent__load", "mcp__assent__call", "mcp__assent__propose", "mcp__assent__status", "mcp__assent__report")
}

// TestClaudeCodeHooks: the client gives the model the agent's identity at the start and, with a
// prompt, what fits it; refuses to write into the copy of a skill in force; writes a governed file, and the model
// reads that this has no effect; and what its own tools read of skills is recorded.
func TestClaudeCodeHooks(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	file := filepath.Join(p.project, ".claude", "skills", "incident-notes", "SKILL.md")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "Skill", Input: map[string]any{"skill": "clean-a-csv"}},
		agenttest.Turn{When: "What does not convert stays as it is", Tool: "Read", Input: map[string]any{"file_path": file}},
		agenttest.Turn{When: "an account that hurts", Tool: "Write", Input: map[string]any{"file_path": file, "content": "mine"}},
		agenttest.Turn{When: "is a copy of the skill incident-notes", Tool: "Bash", Input: map[string]any{"command": "mkdir -p .claude/skills/rogue && echo x > .claude/skills/rogue/SKILL.md"}},
		agenttest.Turn{When: "would be new in a folder that assent sync keeps", Tool: "Write", Input: map[string]any{"file_path": filepath.Join(p.project, ".claude", "skills", "rogue", "SKILL.md"), "content": "x"}},
		agenttest.Turn{When: "would be new in a folder that assent sync keeps", Tool: "Write", Input: map[string]any{"file_path": filepath.Join(p.ws, "soul", "scout", "more.md"), "content": "mine"}},
		agenttest.Turn{When: "no effect until it is proposed", Say: "done"},
	)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE, the csv has broken quotes, clean it up", "--allowedTools", "Skill,Read,Write,Edit,Bash", "--add-dir", p.ws, "--output-format", "stream-json", "--verbose")
	if left := m.Left(); left > 0 {
		for _, r := range m.Requests() {
			t.Logf("%s", r.Last[max(0, len(r.Last)-1500):])
		}
		t.Fatalf("%d turns were not played", left)
	}
	if !strings.Contains(m.Requests()[0].Body, "You are the agent scout of an assent workspace") {
		t.Error("the model does not get its identity")
	}
	if !strings.Contains(m.Requests()[0].Body, "parse-csv (tool; call)") {
		t.Error("the model does not get the tool that fits the prompt")
	}
	got := p.uses()
	if got["clean-a-csv"] != [2]int{1, 1} || got["parse-csv"] != [2]int{1, 0} || got["incident-notes"] != [2]int{0, 1} {
		t.Errorf("uses listed and loaded: %v", got)
	}
	if _, err := os.Stat(filepath.Join(p.ws, "soul", "scout", "more.md")); err != nil {
		t.Errorf("a governed file could not be written: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the copy of a skill in force was edited: %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.project, ".claude", "skills", "rogue")); err == nil {
		t.Error("a skill was made beside those in force")
	}
}

// uses are how often each capability was listed and loaded.
func (p *person) uses() map[string][2]int {
	p.Helper()
	var uses struct {
		Lines []struct {
			Capability     string
			Listed, Loaded int
		}
	}
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "stats", "--json")), &uses); err != nil {
		p.Fatal(err)
	}
	got := map[string][2]int{}
	for _, u := range uses.Lines {
		got[u.Capability] = [2]int{u.Listed, u.Loaded}
	}
	return got
}

// TestClaudeCodeLacks: a turn that ends with a lack goes on once with what serves it, and the client's
// transcript has the gaps of the session.
func TestClaudeCodeLacks(t *testing.T) {
	p := real(t)
	p.run(p.project, p.assent, "connect", "claude-code", "--workspace", p.ws)
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "Bash", Input: map[string]any{"command": "pandoc --version-of-nothing"}},
		agenttest.Turn{When: "not found", Say: "I need a tool to parse CSV text into rows. I would also need an MCP for Jira."},
		agenttest.Turn{When: "parse-csv is in force", Say: "I need a tool to parse CSV text into rows, still."},
	)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	p.run(p.project, filepath.Join(p.clients, "claude"), "-p", "BEGIN-HERE, move the ticket", "--allowedTools", "Bash", "--output-format", "stream-json", "--verbose")
	all := m.Requests()
	if left := m.Left(); left > 0 {
		for _, r := range all {
			t.Logf("%s", r.Last[max(0, len(r.Last)-1500):])
		}
		t.Fatalf("%d turns were not played", left)
	}
	if last := all[len(all)-1].Last; !strings.Contains(last, "jira (mcp): nothing serves it") {
		t.Errorf("the model is not told of the other gap: %s", last)
	}
	p.hears("jira", filepath.Join(".claude", "projects", "*", "*.jsonl"))
}

// hears checks that assent hear finds a gap in the only transcript of the client, without damage.
func (p *person) hears(name, pattern string) {
	p.Helper()
	home := strings.TrimPrefix(p.env[0], "HOME=")
	files, err := filepath.Glob(filepath.Join(home, pattern))
	if err != nil || len(files) != 1 {
		p.Fatalf("transcripts of the client: %v, %v", files, err)
	}
	var heard struct {
		Transcript struct {
			Calls   int `json:"calls"`
			Failed  int `json:"failed_calls"`
			Damaged int `json:"damaged_lines"`
		}
		Gaps []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(p.run(p.ws, p.assent, "hear", files[0], "--json")), &heard); err != nil {
		p.Fatal(err)
	}
	found := slices.ContainsFunc(heard.Gaps, func(g struct{ Name string }) bool { return g.Name == name })
	if !found || heard.Transcript.Calls != 1 || heard.Transcript.Failed != 1 || heard.Transcript.Damaged != 0 {
		text, _ := os.ReadFile(files[0])
		p.Errorf("heard %+v in\n%s", heard, text)
	}
}

// TestCodexLacks: assent hear reads what Codex records of a session.
func TestCodexLacks(t *testing.T) {
	p := real(t)
	m := agenttest.Serve(t,
		agenttest.Turn{When: "BEGIN-HERE", Tool: "exec_command", Input: map[string]any{"cmd": "pandoc --version-of-nothing"}},
		agenttest.Turn{When: "not found", Say: "I would need an MCP for Jira."},
	)
	p.codex(m, "BEGIN-HERE", "-m", "scripted")
	p.hears("jira", filepath.Join(".codex", "sessions", "*", "*", "*", "*.jsonl"))
}

// TestCodex: the same with Codex, in a project that it trusts, and by the person's own settings.
func TestCodex(t *testing.T) {
	for _, user := range []bool{false, true} {
		p := real(t)
		connect, trust := []string{"connect", "codex", "--workspace", p.ws}, []string{"-m", "scripted", "--trust"}
		if user {
			connect, trust = append(connect, "--user"), trust[:2]
		}
		p.run(p.project, p.assent, connect...)
		m := agenttest.Serve(t, story(p, func(when, tool string, input any) agenttest.Turn {
			return agenttest.Turn{When: when, Tool: tool, Namespace: "mcp__assent", Input: input}
		})...)
		p.codex(m, "BEGIN-HERE", trust...)
		checkRequests(p, m, "mcp__assent::find", "mcp__assent::load", "mcp__assent::call", "mcp__assent::propose", "mcp__assent::status", "mcp__assent::report")
		recorded(p, m, "codex")
	}
}

// TestOpenCode: the same with OpenCode, from the project's files.
func TestOpenCode(t *testing.T) {
	p := real(t)
	m := agenttest.Serve(t, story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "assent_" + tool, Input: input}
	})...)
	p.openCode(m)
	checkRequests(p, m, "assent_find", "assent_load", "assent_call", "assent_propose", "assent_status", "assent_report")
}

// openCode connects OpenCode in the project and runs it, with a model.
func (p *person) openCode(m *agenttest.Model) {
	p.Helper()
	settings := `{"provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "` + m.URL + `/v1", "apiKey": "x"}, "models": {"scripted": {}}}}}`
	if err := os.WriteFile(filepath.Join(p.project, "opencode.json"), []byte(settings), 0o600); err != nil {
		p.Fatal(err)
	}
	p.run(p.project, p.assent, "connect", "opencode", "--workspace", p.ws)
	p.run(p.project, filepath.Join(p.clients, "opencode"), "run", "--model", "mock/scripted", "BEGIN-HERE")
}

// TestGemini: the same with Gemini CLI, from the project's files.
func TestGemini(t *testing.T) {
	p := real(t)
	m := agenttest.Serve(t, story(p, func(when, tool string, input any) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "mcp_assent_" + tool, Input: input}
	})...)
	if err := os.Mkdir(filepath.Join(p.project, ".gemini"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}}`
	if err := os.WriteFile(filepath.Join(p.project, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run(p.project, p.assent, "connect", "gemini", "--workspace", p.ws)
	p.env = append(p.env, "GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL="+m.URL, "GEMINI_CLI_TRUST_WORKSPACE=true")
	p.run(p.project, filepath.Join(p.clients, "gemini"), "-m", "gemini-2.5-pro", "-y", "-p", "BEGIN-HERE") // a named model spares the question which one to take
	checkRequests(p, m, "mcp_assent_find", "mcp_assent_load", "mcp_assent_call", "mcp_assent_propose", "mcp_assent_status", "mcp_assent_report")
}

// TestClaudeCodeWorks: the real client does a task of a run by assent work. Its first result leaves
// a question open: it is told so, and hands in again.
func TestClaudeCodeWorks(t *testing.T) {
	p := real(t)
	p.run(p.ws, p.assent, "gap", "tie-knots", "learn to tie knots", "--agent", "scout")
	const at = "skills/automation/tie-knots/"
	result := func(security string) string {
		return `{"v": 1, "outcome": "success", "confidence": 0.9, "findings": {"providers": "ropes", "authentication": "none", "costs": "none", "failures": "it slips"` + security + `}}`
	}
	write := func(when, file, text string) agenttest.Turn {
		return agenttest.Turn{When: when, Tool: "Write", Input: map[string]any{"file_path": file, "content": text}}
	}
	m := agenttest.Serve(t,
		write("findings.security", at+"SKILL.md", strings.ReplaceAll(bowline, "bowline", "tie-knots")),
		write("created successfully", at+"capability.yaml", "kind: skill\nversion: 0.1.0\nstatus: researching\n"),
		write("created successfully", at+"references/research.md", "# Ropes\n\nTwo were compared.\n"),
		write("created successfully", ".task/result.json", result("")),
		agenttest.Turn{When: "created successfully", Say: "done"},
		agenttest.Turn{When: "is not answered", Tool: "Bash", Input: map[string]any{"command": "cat > .task/result.json <<'END'\n" + result(`, "security": "none"`) + "\nEND"}},
		agenttest.Turn{When: "", Say: "done"},
	)
	p.env = append(p.env, "ANTHROPIC_BASE_URL="+m.URL)
	said := p.run(p.ws, p.assent, "work", "--agent", "scout", "--role", "researcher", "--once", "--json",
		"--command", filepath.Join(p.clients, "claude")+" -p --permission-mode acceptEdits --allowedTools Bash")
	var did []struct {
		Outcome string
		Tries   int
		Files   []string
	}
	if err := json.Unmarshal([]byte(said), &did); err != nil || len(did) != 1 || did[0].Outcome != "done" || did[0].Tries != 2 || len(did[0].Files) != 3 {
		for _, r := range m.Requests() {
			t.Logf("%s", r.Last[max(0, len(r.Last)-1500):])
		}
		t.Errorf("%v: %s", err, said)
	}
}
