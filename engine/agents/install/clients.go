package install

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/agents/settings"
)

// Client is an agent client.
type Client string

// The supported clients.
const (
	ClaudeCode Client = "claude-code"
	Codex      Client = "codex"
	OpenCode   Client = "opencode"
	Gemini     Client = "gemini"
	Cursor     Client = "cursor"
	OpenClaw   Client = "openclaw"
)

// serverName is the name of the server in a client's settings.
const serverName = "assent"

// homeVariable is the variable that Env has at times.
const homeVariable = "ASSENT_HOME"

// Clients lists them.
func Clients() []Client { return []Client{ClaudeCode, Codex, OpenCode, Gemini, Cursor, OpenClaw} }

// shape is the layout of a client's files, with slashes: in a project, and in the user's home.
type shape struct {
	// server names the file of the client's servers, skills its folder of skills.
	server, userServer string
	skills, userSkills string
	// hooks names the file of the client's hooks, userHooks that in the user's home.
	hooks, userHooks string
	// texts are the files of instructions in a project. The client reads the first one that exists.
	texts    []string
	userText string
	// path leads to the servers in a JSON file.
	path []string
	// listing is how many characters of each prompt the client spends on its list of skills, 0 for
	// no known limit.
	listing int
	// restarts is set for a client that reads its folder of skills only when it starts.
	restarts bool
	// moved are variables that move the user's files to a place that connect does not know.
	moved []string
}

var shapes = map[Client]shape{
	ClaudeCode: {
		server: ".mcp.json", userServer: ".claude.json", path: []string{"mcpServers"},
		skills: ".claude/skills", userSkills: ".claude/skills",
		hooks: ".claude/settings.local.json", userHooks: ".claude/settings.json", // in a project, the user's own part of its settings
		texts: []string{"CLAUDE.md", "AGENTS.md"}, userText: ".claude/CLAUDE.md",
		listing: 8000, // Claude Code 2.1.330 takes 1 % of the window, four characters a token: 8 000 of 200 000 tokens
		moved:   []string{"CLAUDE_CONFIG_DIR"},
	},
	Codex: {
		server: ".codex/config.toml", userServer: ".codex/config.toml",
		skills: ".agents/skills", userSkills: ".agents/skills",
		hooks: ".codex/hooks.json", userHooks: ".codex/hooks.json",
		texts: []string{"AGENTS.md"}, userText: ".codex/AGENTS.md",
		moved: []string{"CODEX_HOME"},
	},
	OpenCode: {
		server: "opencode.json", userServer: ".config/opencode/opencode.json", path: []string{"mcp"},
		skills: ".opencode/skills", userSkills: ".config/opencode/skills", restarts: true,
		texts: []string{"AGENTS.md", "CLAUDE.md"}, userText: ".config/opencode/AGENTS.md",
		moved: []string{"XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"},
	},
	Gemini: {
		server: ".gemini/settings.json", userServer: ".gemini/settings.json", path: []string{"mcpServers"},
		skills: ".gemini/skills", userSkills: ".gemini/skills", restarts: true,
		hooks: ".gemini/settings.json", userHooks: ".gemini/settings.json",
		texts: []string{"GEMINI.md"}, userText: ".gemini/GEMINI.md",
		moved: []string{"GEMINI_CLI_HOME"},
	},
	Cursor: { // its instructions for all projects are in no file
		server: ".cursor/mcp.json", userServer: ".cursor/mcp.json", path: []string{"mcpServers"},
		skills: ".agents/skills", userSkills: ".agents/skills",
		texts: []string{"AGENTS.md"},
	},
	OpenClaw: { // it has no files in a project
		userServer: ".openclaw/openclaw.json", path: []string{"mcp", "servers"},
		userSkills: ".openclaw/workspace/skills", restarts: true, userText: ".openclaw/workspace/AGENTS.md",
		moved: []string{"OPENCLAW_HOME", "OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"},
	},
}

// InProjects reports whether the client has files in a project.
func (w Where) InProjects() bool { return shapes[w.Client].server != "" }

// Moved lists the variables that move the client's files in the user's home.
func (w Where) Moved() []string { return shapes[w.Client].moved }

// Listing is the budget of the client's list of skills, in characters; 0 is no limit.
func (w Where) Listing() int { return shapes[w.Client].listing }

// serverFile is the file that names the client's servers.
func (w Where) serverFile() string {
	if w.User {
		return shapes[w.Client].userServer
	}
	return shapes[w.Client].server
}

// Of returns the folder in whose project a file of the client's servers is.
func (w Where) Of(file string) (dir string, is bool) {
	return strings.CutSuffix(filepath.ToSlash(file), "/"+w.serverFile())
}

// entry is the server in a JSON file.
func (w Where) entry() settings.Entry {
	value := map[string]any{"command": w.Command, "args": w.Args}
	env := "env"
	if w.Client == OpenCode {
		value, env = map[string]any{"type": "local", "command": append([]string{w.Command}, w.Args...)}, "environment"
	}
	if len(w.Env) > 0 {
		value[env] = w.Env
	}
	return settings.Entry{Path: append(slices.Clone(shapes[w.Client].path), serverName), Value: value}
}

// kept is the server in a JSON file, with the keys and variables that others added to the one that is there.
func (w Where) kept(src []byte) (settings.Entry, error) {
	e := w.entry()
	raw, err := e.Get(src)
	had, vars := map[string]json.RawMessage{}, map[string]any(nil)
	if err != nil || raw == nil || json.Unmarshal(raw, &had) != nil {
		return e, err
	}
	env := "env"
	if w.Client == OpenCode {
		env = "environment"
	}
	value := e.Value.(map[string]any)
	for name, v := range had {
		if value[name] == nil && name != env {
			value[name] = v
		}
	}
	if json.Unmarshal(had[env], &vars) != nil || vars == nil {
		vars = map[string]any{}
	}
	delete(vars, homeVariable)
	for name, v := range w.Env {
		vars[name] = v
	}
	if len(vars) > 0 {
		value[env] = vars
	}
	return e, nil
}

// foreign reports whether the client has a server of this name that does not run assent mcp.
func (w Where) foreign(src []byte) (bool, error) {
	value, err := w.entry().Get(src)
	if err != nil || value == nil {
		return false, err
	}
	var server struct {
		Args    []string
		Command any // a list that contains the arguments, in OpenCode
	}
	if json.Unmarshal(value, &server) != nil {
		return true, nil
	}
	command, _ := server.Command.([]any)
	return !slices.Contains(server.Args, "mcp") && !slices.Contains(command, any("mcp")), nil
}

// table is the server in a TOML file.
func (w Where) table() settings.Block {
	command, _ := json.Marshal(w.Command) // a JSON string is a TOML string
	args, _ := json.Marshal(w.Args)
	text := fmt.Sprintf("[mcp_servers.assent]\ncommand = %s\nargs = %s\n", command, args)
	for _, name := range slices.Sorted(maps.Keys(w.Env)) {
		value, _ := json.Marshal(w.Env[name])
		text += fmt.Sprintf("env.%s = %s\n", name, value)
	}
	return settings.TOML("mcp_servers.assent", text, "env."+homeVariable)
}

// textFile returns the file with the client's instructions: the first that exists, of those that the
// client reads.
func (w Where) textFile() (string, error) {
	s := shapes[w.Client]
	if w.User {
		return s.userText, nil
	}
	for _, name := range s.texts {
		name = w.linked(name)
		src, err := read(w.Dir, name)
		if err != nil || src != nil {
			return name, err
		}
	}
	return w.linked(s.texts[0]), nil
}

// linked returns the file to which a client's file of instructions is a link, if that is another one of
// instructions beside it: CLAUDE.md is often a link to AGENTS.md.
func (w Where) linked(name string) string {
	to, err := os.Readlink(filepath.Join(w.Dir, name))
	for _, s := range shapes {
		if err == nil && slices.Contains(s.texts, filepath.Clean(to)) {
			return filepath.Clean(to)
		}
	}
	return name
}
