package install

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/settings"
)

// hookFile is the file that names the client's hooks; "" for a client that has none.
func (w Where) hookFile() string {
	if w.User {
		return shapes[w.Client].userHooks
	}
	return shapes[w.Client].hooks
}

// hookMark recognises the command of a hook that Connect wrote.
var hookMark = regexp.MustCompile(`[/\\]assent(\.exe)?' hook --(workspace|agent) |"assent hook --agent `)

// hookRow is a hook: the client's name of the event, and the tools for whose calls the client sends it. With ask, the hook calls
// the server; otherwise it starts the program.
type hookRow struct {
	event, tools string
	ask          bool
}

// In Claude Code, a session begins before the server has started, and a refusal should not depend on the
// server. What remains asks the server, which is quicker.
var hookRows = map[Client][]hookRow{
	ClaudeCode: {
		{event: hook.SessionStart}, {hook.PreToolUse, "Write|Edit|MultiEdit|NotebookEdit", false}, {hook.PreToolUse, "Bash", true},
		{hook.UserPromptSubmit, "", true}, {hook.PostToolUse, "Skill|Read", true}, {hook.Stop, "", true},
	},
	Codex: {
		{event: hook.SessionStart}, {event: hook.UserPromptSubmit}, {hook.PreToolUse, "apply_patch|Bash", false}, {event: hook.Stop},
		{hook.PostToolUse, "Bash", true},
	},
	Gemini: {
		{event: hook.SessionStart}, {event: "BeforeAgent"}, {"BeforeTool", "write_file|replace|run_shell_command", false},
		{"AfterTool", "read_file|activate_skill|write_file|replace|run_shell_command", false}, {event: "AfterAgent"},
	},
}

// hooks are the items of the client's settings.
func (w Where) hooks() []settings.Item {
	var out []settings.Item
	for _, row := range hookRows[w.Client] {
		run, own := any(map[string]string{"type": "command", "command": w.Hook}), runsProgram
		if row.ask {
			run, own = map[string]any{"type": "mcp_tool", "server": serverName, "tool": hook.ToolName, "input": hook.Arguments(row.event, row.tools)}, asksServer
		}
		value := map[string]any{"hooks": []any{run}}
		if row.tools != "" {
			value["matcher"] = row.tools
		}
		out = append(out, settings.Item{Path: []string{"hooks", row.event}, Value: value, In: "hooks", Own: own})
	}
	return out
}

func runsProgram(v json.RawMessage) bool { return hookMark.Match(v) }

// asksServer recognises a hook that calls the server's tool.
func asksServer(v json.RawMessage) bool {
	var run struct{ Type, Server, Tool string }
	return json.Unmarshal(v, &run) == nil && run.Type == "mcp_tool" && run.Server == serverName && run.Tool == hook.ToolName
}

// hooksOf names what was created for hooks in a file, beside what was created for the server in the same file.
func (w Where) hooksOf(path string) string {
	if w.hookFile() == w.serverFile() {
		return path + "#hooks"
	}
	return path
}

func (w Where) setHooks(m Memory, src []byte, path string) ([]byte, error) {
	for i, h := range w.hooks() {
		out, added, err := h.Set(src)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			m.Note(w.hooksOf(path), w.Client, added)
		}
		src = out
	}
	return src, nil
}

// removeHooks removes the items in the opposite order, so that whatever Set created for the first
// one is removed last.
func (w Where) removeHooks(m Memory, src []byte, path string) ([]byte, error) {
	made, _ := m.Forget(w.hooksOf(path), w.Client)
	for i, h := range slices.Backward(w.hooks()) {
		if src == nil {
			return nil, nil
		}
		added := settings.Added{}
		if i == 0 {
			added = made
		}
		var err error
		if src, err = h.Remove(src, added); err != nil {
			return nil, err
		}
	}
	return src, nil
}
