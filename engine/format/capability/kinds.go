package capability

import (
	"fmt"
	"slices"
	"strings"
)

// Kind says how an agent uses a capability.
type Kind string

// The kinds of capabilities.
const (
	KindSkill Kind = "skill" // expertise: a prompt that the agent knows
	KindTool  Kind = "tool"  // code that it calls
	KindMCP   Kind = "mcp"   // a server that it is connected to
	KindAgent Kind = "agent" // a sub-agent that it delegates to
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{KindSkill, KindTool, KindMCP, KindAgent} }

// UnmarshalText reads a kind.
func (k *Kind) UnmarshalText(text []byte) error { return oneOf(k, text, Kinds()) }

// Layer says what a capability is made of.
type Layer string

// The layers. A record says the first two, of tools; the third is what every skill is.
const (
	LayerBase     Layer = "base"     // stands alone
	LayerComposed Layer = "composed" // calls other tools
	LayerSkill    Layer = "skill"    // knowledge, which calls nothing
)

// Layers lists those that a record may say.
func Layers() []Layer { return []Layer{LayerBase, LayerComposed} }

// UnmarshalText reads a layer.
func (l *Layer) UnmarshalText(text []byte) error { return oneOf(l, text, Layers()) }

// Status is where a capability stands in its life.
type Status string

// The statuses, in the order of a capability's life.
const (
	Researching Status = "researching"
	Developing  Status = "developing"
	Testing     Status = "testing"
	Active      Status = "active"
	Deprecated  Status = "deprecated"
	Retired     Status = "retired"
)

// Statuses lists all statuses in the order of a capability's life.
func Statuses() []Status {
	return []Status{Researching, Developing, Testing, Active, Deprecated, Retired}
}

// UnmarshalText reads a status.
func (s *Status) UnmarshalText(text []byte) error { return oneOf(s, text, Statuses()) }

// Runtime says what runs a capability's code.
type Runtime string

// The runtimes.
const (
	Starlark Runtime = "starlark" // in process; composed tools
	Python   Runtime = "python"   // sandboxed, as are bash and node
	Bash     Runtime = "bash"
	Node     Runtime = "node"
	MCPStdio Runtime = "mcp-stdio" // see server.json
	MCPHTTP  Runtime = "mcp-http"  // see server.json
)

// Runtimes lists all runtimes.
func Runtimes() []Runtime { return []Runtime{Starlark, Python, Bash, Node, MCPStdio, MCPHTTP} }

// UnmarshalText reads a runtime.
func (r *Runtime) UnmarshalText(text []byte) error { return oneOf(r, text, Runtimes()) }

// IsMCP reports whether the runtime is an MCP server's rather than a script's.
func (r Runtime) IsMCP() bool { return r == MCPStdio || r == MCPHTTP }

// Risk is what a capability's author says about the harm that it can do; the
// engine derives its own and the higher counts.
type Risk string

// The risks that can be declared.
const (
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// Risks lists all risks that can be declared, in rising order.
func Risks() []Risk { return []Risk{RiskLow, RiskMedium, RiskHigh, RiskCritical} }

// UnmarshalText reads a risk.
func (r *Risk) UnmarshalText(text []byte) error { return oneOf(r, text, Risks()) }

// oneOf sets target to text if that is one of the values.
func oneOf[T ~string](target *T, text []byte, values []T) error {
	if !slices.Contains(values, T(text)) {
		return fmt.Errorf("%q is none of %s", clip(string(text)), wordsOf(values))
	}
	*target = T(text)
	return nil
}

func wordsOf[T ~string](values []T) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// clip shortens untrusted text for a message.
func clip(s string) string {
	const limit = 60
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
