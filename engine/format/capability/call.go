package capability

import "strings"

// methodMark stands between a server and its method in the name of a call.
const methodMark = "__"

// SplitCall splits what is called: files__read_file is the method read_file of the
// server files; a tool has no method. The first mark counts, so that methods may hold
// one themselves.
func SplitCall(called string) (name, method string) {
	if at := strings.Index(called, methodMark); at > 0 {
		return called[:at], called[at+len(methodMark):]
	}
	return called, ""
}

// Callable reports whether there is something that a call could run.
func (c Capability) Callable() bool {
	return c.Record.Run != nil && (c.Kind == KindTool || c.Kind == KindMCP)
}

// Runs reports whether a status lets a capability run. What is deprecated still does, so
// that its callers have time.
func (s Status) Runs() bool { return s == Active || s == Deprecated }

// Layer is what a capability is made of, also where its record leaves that out; "" of servers,
// sub-agents, and of a specification that does not say how it is meant.
func (c Capability) Layer() Layer {
	switch {
	case c.Kind == KindSkill:
		return LayerSkill
	case c.Kind != KindTool:
		return ""
	case c.Record.Layer != "" || c.Record.Run == nil:
		return c.Record.Layer
	case c.Record.Run.Runtime == Starlark:
		return LayerComposed
	}
	return LayerBase
}
