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
var hookMark = regexp.MustCompile(`[/\\]assent(\.exe)?' hook --workspace '|"assent hook --agent `)

// hooks are the items of the client's settings. In Claude Code, a session begins before the server has
// started, and a refusal should not depend on the server: both start a program. The others ask the server,
// which is quicker. Other clients start a program for each.
func (w Where) hooks() []settings.Item {
	program := map[string]any{"type": "command", "command": w.Hook}
	item := func(event, matcher string, run map[string]any, own func(json.RawMessage) bool) settings.Item {
		value := map[string]any{"hooks": []any{run}}
		if matcher != "" {
			value["matcher"] = matcher
		}
		return settings.Item{Path: []string{"hooks", event}, Value: value, Own: own}
	}
	starts := func(event, matcher string) settings.Item { return item(event, matcher, program, runsProgram) }
	asks := func(event, matcher string) settings.Item {
		run := map[string]any{"type": "mcp_tool", "server": serverName, "tool": hook.ToolName, "input": hook.Arguments(event)}
		return item(event, matcher, run, asksServer)
	}
	switch w.Client {
	case Codex:
		return []settings.Item{starts(hook.SessionStart, ""), starts(hook.UserPromptSubmit, ""), starts(hook.PreToolUse, "apply_patch|Bash"), starts(hook.Stop, "")}
	case Gemini:
		return []settings.Item{
			starts(hook.SessionStart, ""), starts("BeforeAgent", ""), starts("BeforeTool", "write_file|replace"),
			starts("AfterTool", "read_file|activate_skill|write_file|replace|run_shell_command"), starts("AfterAgent", ""),
		}
	}
	return []settings.Item{
		starts(hook.SessionStart, ""), starts(hook.PreToolUse, "Write|Edit|MultiEdit|NotebookEdit"), asks(hook.PreToolUse, "Bash"),
		asks(hook.UserPromptSubmit, ""), asks(hook.PostToolUse, "Skill|Read"), asks(hook.Stop, ""),
	}
}

func runsProgram(v json.RawMessage) bool { return hookMark.Match(v) }

// asksServer recognises a hook that calls the server's tool.
func asksServer(v json.RawMessage) bool {
	var item struct {
		Hooks []struct{ Type, Server, Tool string }
	}
	return json.Unmarshal(v, &item) == nil && len(item.Hooks) == 1 &&
		item.Hooks[0].Type == "mcp_tool" && item.Hooks[0].Server == serverName && item.Hooks[0].Tool == hook.ToolName
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
