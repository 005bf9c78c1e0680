package install

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/assent-dev/assent/engine/agents/hook"
	"github.com/assent-dev/assent/engine/agents/settings"
)

// hookFile is the file that names the client's hooks; "" for a client that is given none. Codex runs
// hooks only after the user trusted each by its digest.
func (w Where) hookFile() string {
	switch {
	case w.Client != ClaudeCode:
		return ""
	case w.User:
		return ".claude/settings.json"
	}
	return ".claude/settings.local.json" // the user's own part of a project's settings
}

// hookMark recognises the command of a hook that Connect wrote.
var hookMark = regexp.MustCompile(`[/\\]assent(\.exe)?' hook --workspace '`)

// hooks are the items of the client's settings. A session begins before the server has started, and
// a refusal should not depend on the server: both start a program. The others ask the server, which
// is quicker.
func (w Where) hooks() []settings.Item {
	program := map[string]any{"type": "command", "command": w.Hook}
	item := func(event, matcher string, run map[string]any, own func(json.RawMessage) bool) settings.Item {
		value := map[string]any{"hooks": []any{run}}
		if matcher != "" {
			value["matcher"] = matcher
		}
		return settings.Item{Path: []string{"hooks", event}, Value: value, Own: own}
	}
	ask := func(event string) map[string]any {
		return map[string]any{"type": "mcp_tool", "server": serverName, "tool": hook.ToolName, "input": hook.Arguments(event)}
	}
	return []settings.Item{
		item(hook.SessionStart, "", program, runsProgram),
		item(hook.PreToolUse, hook.WritingTools, program, runsProgram),
		item(hook.UserPromptSubmit, "", ask(hook.UserPromptSubmit), asksServer),
		item(hook.PostToolUse, hook.ReadingTools, ask(hook.PostToolUse), asksServer),
		item(hook.Stop, "", ask(hook.Stop), asksServer),
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

func (w Where) setHooks(m Memory, src []byte, path string) ([]byte, error) {
	for i, h := range w.hooks() {
		out, added, err := h.Set(src)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			m.Note(path, w.Client, added)
		}
		src = out
	}
	return src, nil
}

// removeHooks removes the items in the opposite order, so that whatever Set created for the first
// one is removed last.
func (w Where) removeHooks(m Memory, src []byte, path string) ([]byte, error) {
	made, _ := m.Forget(path, w.Client)
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
