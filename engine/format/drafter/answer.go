package drafter

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/advice"
	"github.com/assent-dev/assent/engine/format/capability"
)

// Bounds of an answer.
const (
	MaxAnswer = 1 << 20 // bytes
	maxFiles  = 64
)

// Read converts an answer to edits in the folder dir. One refused file refuses all.
func Read(answer []byte, dir string) ([]tree.Edit, diag.List) {
	var out diag.List
	var said struct {
		Files []File `json:"files"`
	}
	const form = `answer with {"files": [{"path": "…", "content": "…"}]} alone`
	if err := advice.Read(answer, MaxAnswer, &said); err != nil {
		out.Errorf(RuleAnswer, diag.Pos{}, form, "%v", err)
		return nil, out
	}
	if len(said.Files) == 0 || len(said.Files) > maxFiles {
		out.Errorf(RuleAnswer, diag.Pos{}, form, "the answer has %d files; from 1 to %d are possible", len(said.Files), maxFiles)
		return nil, out
	}
	var edits []tree.Edit
	seen := map[string]bool{}
	for _, f := range said.Files {
		// Windows and macOS ignore case in names.
		if seen[strings.ToLower(f.Path)] {
			out.Errorf(RuleAnswer, diag.Pos{}, "name each file once", "the answer has the file %.200q twice", f.Path)
		}
		seen[strings.ToLower(f.Path)] = true
		if found := place(dir, f.Path); found != nil {
			out.Add(found...)
			continue
		}
		edits = append(edits, tree.Edit{Path: tree.Join(dir, f.Path), Mode: tree.Regular, Content: []byte(f.Content)})
	}
	if out.HasErrors() {
		return nil, out
	}
	return edits, out
}

// places are the folders that a draft may write to, and tops the files beside them.
var (
	places = []string{capability.ScriptsDir + "/", "references/", "assets/"}
	tops   = []string{capability.SkillFile, capability.RecordFile, capability.SuiteFile}
)

// packages are files that declare or configure dependencies. A draft may not add them; a
// template's own stay unchanged.
var packages = []string{
	"package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc", "requirements.txt", "pyproject.toml", "setup.py", "setup.cfg", "pipfile", "node_modules",
}

// place returns the reasons why a draft may not write a file.
func place(dir, file string) diag.List {
	var out diag.List
	switch {
	case !fs.ValidPath(file) || file == ".":
		out.Errorf(RulePlace, diag.Pos{}, "write paths as scripts/main.py", "the path %.200q is invalid or outside of %s", file, dir)
		return out
	case slices.ContainsFunc(strings.Split(strings.ToLower(file), "/"), func(part string) bool { return slices.Contains(packages, part) }):
		out.Errorf(RulePlace, diag.Pos{}, "use no packages; a reviewer can add them later", "%.200q declares packages, which a draft must not", file)
		return out
	case !slices.Contains(tops, file) && !slices.ContainsFunc(places, func(p string) bool { return strings.HasPrefix(file, p) }):
		out.Errorf(RulePlace, diag.Pos{}, "keep to "+strings.Join(tops, ", ")+", and to files below "+strings.Join(places, ", "),
			"%.200q is none of the files that a draft may write", path.Clean(file))
		return out
	}
	return names.CheckPath(tree.Join(dir, file))
}
