package composed

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Uncallable returns why a program cannot call a capability of the workspace as it does,
// and what to do; both are empty if it can. method is the part after the name, "" for
// none. ways are implementations with code.
func Uncallable(c capability.Capability, method string, ways []string) (why, fix string) {
	switch {
	case c.Kind == capability.KindTool && !c.Callable() && len(ways) > 0:
		return "is a specification without code, and a composed tool names the implementation that it is tested with", "call " + calls(ways)
	case (c.Kind == capability.KindTool || c.Kind == capability.KindMCP) && !c.Callable():
		return "is a specification without code, and nothing with code implements it", "propose that code first"
	case !c.Callable():
		return "is of kind " + string(c.Kind) + ", which is read and not called", "call a tool"
	case c.Kind == capability.KindMCP && method == "":
		return "is a server; one of its methods is called", "call tools." + names.Callable(c.Name) + "__method; assent run-tool " + names.ShellWord(c.Name) + " --methods lists them"
	case c.Kind != capability.KindMCP && method != "":
		return "is a tool, which has no methods", "call tools." + names.Callable(c.Name)
	}
	return "", ""
}

// calls returns the spellings of several tools.
func calls(all []string) string {
	const most = 5
	var out []string
	for _, n := range all[:min(len(all), most)] {
		out = append(out, "tools."+names.Callable(n))
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}
