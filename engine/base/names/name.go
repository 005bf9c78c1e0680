package names

import (
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// MaxName is the longest name of a capability, group or agent, in bytes
// (agentskills.io).
const MaxName = 64

// IsName reports whether name has the shape of a capability's, group's or
// agent's name: at most MaxName bytes matching
// ^[a-z0-9]+(-[a-z0-9]+)*$ (agentskills.io), and no reserved name of Windows.
func IsName(name string) bool { return hasShape(name) && !isDevice(name) }

func hasShape(name string) bool {
	if name == "" || len(name) > MaxName || name[0] == '-' || name[len(name)-1] == '-' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case c == '-' && name[i-1] != '-':
		default:
			return false
		}
	}
	return true
}

// CheckCapability explains what is wrong with a capability's name, at pos.
func CheckCapability(name string, pos diag.Pos) diag.List { return checkName("capability", name, pos) }

// CheckGroup explains what is wrong with a group's name, at pos.
func CheckGroup(name string, pos diag.Pos) diag.List { return checkName("group", name, pos) }

// CheckAgent explains what is wrong with an agent's name, at pos.
func CheckAgent(name string, pos diag.Pos) diag.List { return checkName("agent", name, pos) }

func checkName(what, name string, pos diag.Pos) diag.List {
	var out diag.List
	fix := "use " + Suggest(name)
	switch {
	case !hasShape(name):
		out.Errorf(RuleName, pos, fix,
			"%s name %s is not lower-case letters, digits and single '-' between them (1 to %d characters)", what, show(name), MaxName)
	case isDevice(name):
		out.Errorf(RuleReserved, pos, fix, "%s name %s is a device on Windows", what, show(name))
	}
	return out
}

// toolSpelling is what a caller may write for a tool.
var toolSpelling = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`) })

// FoldTool turns a tool's callable spelling ([A-Za-z_][A-Za-z0-9_]{0,63}) into
// the name of its folder: lower case, runs of '_' become one '-', none at the
// ends. A spelling of another shape, or one that leaves no name, is refused.
func FoldTool(spelling string) (string, diag.List) {
	var out diag.List
	if !toolSpelling().MatchString(spelling) {
		out.Errorf(RuleTool, diag.Pos{}, "call it "+Callable(Suggest(spelling)),
			"tool name %s is not a letter or '_' followed by at most 63 letters, digits or '_'", show(spelling))
		return "", out
	}
	words := strings.FieldsFunc(strings.ToLower(spelling), func(r rune) bool { return r == '_' })
	folder := strings.Join(words, "-")
	if !IsName(folder) {
		out.Errorf(RuleTool, diag.Pos{}, "call it "+Callable(Suggest(spelling)),
			"tool name %s leaves no usable folder name", show(spelling))
		return "", out
	}
	return folder, nil
}

// Callable returns the identifier by which the capability in folder is called:
// parse-csv-eu is parse_csv_eu. A name that starts with a digit gets a leading
// '_', which FoldTool drops again.
func Callable(folder string) string {
	id := strings.ReplaceAll(folder, "-", "_")
	if id != "" && id[0] >= '0' && id[0] <= '9' {
		id = "_" + id
	}
	if len(id) > MaxName { // only a 64-character name that starts with a digit
		id = id[:MaxName]
	}
	return id
}
