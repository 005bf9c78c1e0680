package names

import (
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// scriptsDir is a capability's folder for code.
const scriptsDir = "scripts"

// MayExecute reports whether the file at path may carry the executable bit:
// only below a folder scripts/.
func MayExecute(path string) bool {
	return strings.HasPrefix(path, scriptsDir+"/") || strings.Contains(path, "/"+scriptsDir+"/")
}

// CheckModes reports an entry's mode that is not admitted under governed paths: only regular
// files and folders are, and executable files only below scripts/.
func CheckModes(entry tree.Entry) diag.List {
	var out diag.List
	pos := diag.Pos{File: printable(entry.Path)}
	switch entry.Mode {
	case tree.Regular, tree.Dir:
	case tree.Executable:
		if !MayExecute(entry.Path) {
			out.Errorf(RuleExecBit, pos, "move it below scripts/ or drop the bit (chmod -x)", "only files below scripts/ may be executable")
		}
	case tree.Symlink:
		out.Errorf(RuleMode, pos, "put the file itself there", "symbolic links are not admitted")
	case tree.Submodule:
		out.Errorf(RuleMode, pos, "put the files themselves there", "submodules are not admitted")
	default:
		out.Errorf(RuleMode, pos, "store it as a regular file", "mode %s is not that of a regular file", entry.Mode)
	}
	return out
}
