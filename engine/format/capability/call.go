package capability

import (
	"slices"
	"strings"
)

// methodMark separates server and method in the name of a call.
const methodMark = "__"

// SplitCall splits the name of a call: files__read_file is the method read_file of the
// server files; a tool has no method. The first mark separates, so a method may contain
// one.
func SplitCall(called string) (name, method string) {
	if at := strings.Index(called, methodMark); at > 0 {
		return called[:at], called[at+len(methodMark):]
	}
	return called, ""
}

// Callable reports whether the capability is a tool or server that a call can run.
func (c Capability) Callable() bool {
	return c.Record.Run != nil && (c.Kind == KindTool || c.Kind == KindMCP)
}

// Runs reports whether a capability of this status may run. A deprecated one may, to give
// its callers time.
func (s Status) Runs() bool { return s == Active || s == Deprecated }

// Ended reports whether a capability of this status is out of use, or being taken out of it.
func (s Status) Ended() bool { return s == Deprecated || s == Retired }

// Moved returns -1 if a change of status leads out of use, 1 if it leads towards use or back into it, else 0.
func (s Status) Moved(was Status) int {
	switch {
	case s.Ended() && s != was:
		return -1
	case slices.Index(Statuses(), s) > slices.Index(Statuses(), was) || was.Ended() && !s.Ended():
		return 1
	}
	return 0
}

// Layer returns the layer of a capability, derived if its record omits it. It is "" for
// servers, sub-agents, and specifications that do not state it.
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
