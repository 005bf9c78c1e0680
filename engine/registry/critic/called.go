package critic

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/registry/trial"
)

// Served is how clients call the tools of assent mcp.
const Served = "mcp__assent__"

// ran finds a call of a tool in a shell's command.
var ran = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bassent\b[^;&|\n]*?\srun-tool\s+["']?([A-Za-z0-9_-]+)`)
})

// Called returns the capability that a client's call may have used, and how far it went; "" for none.
// Whether one of that name is in force, the caller looks up.
func Called(tool, input string) (name string, level trial.Level) {
	switch rest, served := strings.CutPrefix(tool, Served); {
	case served && rest == "call":
		return field(input, "name"), trial.Followed
	case served && rest == "load":
		return field(input, "name"), trial.Loaded
	case served:
		return "", ""
	case tool == "Skill":
		if name = field(input, "skill"); name == "" && !strings.HasPrefix(input, "{") {
			name = strings.TrimSpace(input) // its field command
		}
		return name, trial.Loaded
	case strings.HasPrefix(tool, "mcp__"):
		server, _, _ := strings.Cut(strings.TrimPrefix(tool, "mcp__"), "__")
		return server, trial.Followed
	}
	if m := ran().FindStringSubmatch(input); m != nil {
		return m[1], trial.Followed
	}
	if strings.ContainsAny(tool, "-_") { // a tool of the client's own has one word
		return tool, trial.Followed
	}
	return "", ""
}

// field is a text in a JSON object, which may be cut off at its end.
func field(input, name string) string {
	dec := json.NewDecoder(strings.NewReader(input))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return ""
		}
		var value any
		if dec.Decode(&value) != nil {
			return ""
		}
		if text, is := value.(string); is && key == name {
			return text
		}
	}
	return ""
}

// Names are those to look up for a called name: itself, and the server of server__method.
func Names(called string) []string {
	if server, method := capability.SplitCall(called); method != "" {
		return []string{called, server}
	}
	return []string{called}
}
