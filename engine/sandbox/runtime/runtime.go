package runtime

import (
	"path"
	"slices"
)

// A Runtime is a program that executes files.
type Runtime struct {
	Name    string   // as capability.yaml spells it
	Program string   // name of the executable
	Flags   []string // before the file
	// Where has arguments with which the program prints the path of its real executable and, on
	// further lines, its installation folders. It is empty if the executable in PATH is enough.
	Where      []string
	Extensions []string
}

// table lists the runtimes that are separate programs.
var table = []Runtime{
	{Name: "python", Program: "python3", Flags: []string{"-B"}, Extensions: []string{".py"},
		Where: []string{"-I", "-c", "import os,sys\nprint(os.path.realpath(sys.executable))\nprint(os.path.realpath(sys.base_prefix))\nprint(os.path.realpath(sys.base_exec_prefix))"}},
	{Name: "bash", Program: "bash", Flags: []string{"--noprofile", "--norc"}, Extensions: []string{".sh", ".bash"}},
	{Name: "node", Program: "node", Extensions: []string{".js", ".mjs", ".cjs"},
		Where: []string{"-p", `const p=require("path");process.execPath+"\n"+(process.execPath.startsWith("/usr/")?"":p.dirname(p.dirname(process.execPath)))`}},
}

// All returns the runtimes, in a fixed order.
func All() []Runtime { return slices.Clone(table) }

// Named finds a runtime by its name.
func Named(name string) (Runtime, bool) { return find(func(r Runtime) bool { return r.Name == name }) }

// Of finds the runtime for a file by its extension.
func Of(file string) (Runtime, bool) {
	return find(func(r Runtime) bool { return slices.Contains(r.Extensions, path.Ext(file)) })
}

// By finds the runtime of a program, such as "python3".
func By(program string) (Runtime, bool) {
	return find(func(r Runtime) bool { return r.Program == program })
}

// Args returns the command line that runs a file.
func (r Runtime) Args(file string, args ...string) []string {
	return slices.Concat([]string{r.Program}, r.Flags, []string{file}, args)
}

func find(is func(Runtime) bool) (Runtime, bool) {
	i := slices.IndexFunc(table, is)
	if i < 0 {
		return Runtime{}, false
	}
	return table[i], true
}
