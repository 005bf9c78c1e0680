package capability

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is how an agent uses a capability.
type Kind string

// The kinds of capabilities.
const (
	KindSkill Kind = "skill" // expertise: a prompt for the agent
	KindTool  Kind = "tool"  // code that the agent calls
	KindMCP   Kind = "mcp"   // a server that the agent connects to
	KindAgent Kind = "agent" // a sub-agent for delegation
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{KindSkill, KindTool, KindMCP, KindAgent} }

// UnmarshalText reads a kind.
func (k *Kind) UnmarshalText(text []byte) error { return oneOf(k, text, Kinds()) }

// Layer is how a capability is built.
type Layer string

// The layers. Records of tools state one of the first two; every skill has the third.
const (
	LayerBase     Layer = "base"     // stands alone
	LayerComposed Layer = "composed" // calls other tools
	LayerSkill    Layer = "skill"    // knowledge, which calls nothing
)

// Layers returns the layers that a record may state.
func Layers() []Layer { return []Layer{LayerBase, LayerComposed} }

// UnmarshalText reads a layer.
func (l *Layer) UnmarshalText(text []byte) error { return oneOf(l, text, Layers()) }

// Status is the stage of a capability's life cycle.
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

// Runtime is the interpreter of a capability's code.
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

// Risk is the author's estimate of the possible harm. The engine derives its own, and the
// higher one counts.
type Risk string

// The risks that a record may declare.
const (
	RiskLow      Risk = "low"
	RiskMedium   Risk = "medium"
	RiskHigh     Risk = "high"
	RiskCritical Risk = "critical"
)

// Risks returns the risks that a record may declare, in rising order.
func Risks() []Risk { return []Risk{RiskLow, RiskMedium, RiskHigh, RiskCritical} }

// UnmarshalText reads a risk.
func (r *Risk) UnmarshalText(text []byte) error { return oneOf(r, text, Risks()) }

// oneOf sets target to text if that is one of the values.
func oneOf[T ~string](target *T, text []byte, values []T) error {
	if !slices.Contains(values, T(text)) {
		return fmt.Errorf("%q is not one of %s", clip(string(text)), wordsOf(values))
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
