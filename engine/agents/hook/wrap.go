package hook

import (
	"regexp"
	"slices"
	"strings"
)

// Commands of a shell that run code around a capability.
var (
	interpreter = regexp.MustCompile(`(?:^|[\s;&|(/])(?:python[0-9.]*|node|bun|deno|ruby|perl)\s`)
	// named are the words of such a command that may name a capability: the folder of a script, an import, and
	// names of several words. One word alone is mostly something else.
	named = regexp.MustCompile(`([A-Za-z0-9][\w-]*)/scripts/|\b(?:import|from)\s+([A-Za-z]\w*)|\b([A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)+)\b`)
)

// maxWrap bounds how much of a command is looked at, in bytes, and maxNamed how many names are looked for.
const (
	maxWrap  = 64 << 10
	maxNamed = 50
)

// Wraps are the names that a command may run a capability by, where it does so through an interpreter and
// not by assent: through the capability's script, or through code in the command.
func (e *Event) Wraps() []string {
	if !e.hinted() || !slices.Contains(running, e.Tool) {
		return nil
	}
	command := e.Input.Command[:min(len(e.Input.Command), maxWrap)]
	at := interpreter.FindStringIndex(command)
	if at == nil {
		return nil
	}
	var out []string
	for _, m := range named.FindAllStringSubmatch(command[at[1]:], -1) {
		if name := strings.Join(m[1:], ""); len(out) < maxNamed && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// ByName is the text for a command that runs code around capabilities.
func ByName(all []Suggestion) string {
	var b strings.Builder
	b.WriteString("Approved in assent. Call it by name with the tool call of the server assent, instead of running code around it:\n")
	list(&b, all)
	return b.String()
}
