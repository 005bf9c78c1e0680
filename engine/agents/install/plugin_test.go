package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-dev/assent/engine/base/version"
)

var update = flag.Bool("update", false, "write the files of the plugin")

// plugin are the files of the plugin for Claude Code and Codex, below .claude-plugin at the top of the repository. It has the
// server and the hooks that connect writes, but names no agent: in Claude Code that is an option of the plugin, which a
// command of a shell may only read from its environment; in Codex, which has no options, it is ASSENT_AGENT.
func plugin() map[string]any {
	w := Where{Client: ClaudeCode, Command: "assent", Args: []string{"mcp", "--agent", "${user_config.agent}"}, Hook: `assent hook --agent "$CLAUDE_PLUGIN_OPTION_AGENT" || true`}
	hooks := hooksOf(w, "plugin:"+serverName+":"+serverName) // Claude Code's name for the server of a plugin
	codex := map[string]any{"command": "assent", "args": []string{"mcp"}, "env_vars": []string{"ASSENT_AGENT", "ASSENT_HOME"}}
	const description = "Finds, loads, calls and proposes the skills and tools that people approved in an assent workspace."
	owner := map[string]string{"name": "assent"}
	return map[string]any{
		"marketplace.json": map[string]any{
			"name": "assent", "owner": owner, "description": description,
			"plugins": []any{map[string]string{"name": "assent", "source": "./.claude-plugin/assent", "description": description}},
		},
		"assent/.claude-plugin/plugin.json": map[string]any{
			"name": "assent", "version": version.Engine, "description": description, "author": owner, "license": "Apache-2.0",
			"homepage": "https://github.com/assent-dev/assent/blob/main/docs/agents.md",
			"userConfig": map[string]any{"agent": map[string]any{
				"type": "string", "title": "Agent", "required": true, "description": "The agent of the workspace as which Claude Code acts, such as scout",
			}},
		},
		"assent/.mcp.json":        map[string]any{"mcpServers": map[string]any{serverName: w.entry().Value}},
		"assent/hooks/hooks.json": map[string]any{"hooks": hooks},
		"assent/.codex-plugin/plugin.json": map[string]any{
			"name": "assent", "version": version.Engine, "description": description, "mcpServers": "./codex/mcp.json", "hooks": "./codex/hooks.json",
		},
		"assent/codex/mcp.json":   map[string]any{"mcpServers": map[string]any{serverName: codex}},
		"assent/codex/hooks.json": map[string]any{"hooks": hooksOf(Where{Client: Codex, Hook: "assent hook || true"}, serverName)},
	}
}

// hooksOf are a client's hooks, which ask a server of this name.
func hooksOf(w Where, server string) map[string][]any {
	all := map[string][]any{}
	for _, item := range w.hooks() {
		for _, run := range item.Value.(map[string]any)["hooks"].([]any) {
			if ask, is := run.(map[string]any); is {
				ask["server"] = server
			}
		}
		all[item.Path[1]] = append(all[item.Path[1]], item.Value)
	}
	return all
}

// TestPlugin: the plugin has what connect writes. -update writes it.
func TestPlugin(t *testing.T) {
	top := filepath.Join("..", "..", "..", ".claude-plugin")
	for name, value := range plugin() {
		var want bytes.Buffer
		out := json.NewEncoder(&want)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		if err := out.Encode(value); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(top, filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%v: %s is not what connect writes: go test ./engine/agents/install -run TestPlugin -update", err, file)
		}
	}
}
