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

// hooks are the items of the client's settings.
func (w Where) hooks() []settings.Item {
	run := []any{map[string]any{"type": "command", "command": w.Hook}}
	own := func(v json.RawMessage) bool { return hookMark.Match(v) }
	return []settings.Item{
		{Path: []string{"hooks", hook.SessionStart}, Value: map[string]any{"hooks": run}, Own: own},
		{Path: []string{"hooks", hook.PreToolUse}, Value: map[string]any{"matcher": hook.WritingTools, "hooks": run}, Own: own},
	}
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
