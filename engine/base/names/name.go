package names

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/base/diag"
)

// MaxName is the maximum length of a capability's, group's or agent's name, in bytes
// (agentskills.io).
const MaxName = 64

// IsName reports whether name is a valid name of a capability, group or agent: at most MaxName
// bytes matching ^[a-z0-9]+(-[a-z0-9]+)*$ (agentskills.io), and not a reserved name of Windows.
func IsName(name string) bool { return hasShape(name) && !isDevice(name) }

// Fault says what is wrong with a name, "" if nothing is.
func Fault(name string) string {
	switch {
	case !hasShape(name):
		return fmt.Sprintf("is not lower-case letters, digits and single '-' between them (1 to %d characters)", MaxName)
	case isDevice(name):
		return "is a device on Windows"
	}
	return ""
}

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
	if why := Fault(name); why != "" {
		rule := RuleName
		if hasShape(name) {
			rule = RuleReserved
		}
		out.Errorf(rule, pos, fix, "%s name %s %s", what, show(name), why)
	}
	return out
}

// toolSpelling matches the spellings by which a caller may name a tool.
var toolSpelling = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`) })

// FoldTool converts a tool's callable spelling ([A-Za-z_][A-Za-z0-9_]{0,63}) to its folder's
// name: lower case, runs of '_' become one '-', without '-' at the ends. It refuses any other
// spelling, and one that leaves no name.
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

// Callable returns the identifier of the capability in folder: parse_csv_eu for parse-csv-eu. A
// name that starts with a digit gets a leading '_', which FoldTool drops.
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
