package capability

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Root is the folder that holds all capabilities.
const Root = "skills"

// MaxEntries is the number of entries that skills/ or a group may hold before groups are
// required: every commit rewrites the tree object of each folder above a change.
const MaxEntries = 1000

// Folders finds all capabilities of v: the folders skills/<name> and
// skills/<group>/<name> with a SKILL.md, in Git's order. It reports each SKILL.md that is
// nested too deep, and folders that look like a capability without a SKILL.md.
func Folders(v tree.View) ([]Folder, diag.List, error) {
	return (&finder{v: v, enters: func(string, int) bool { return true }}).all()
}

type finder struct {
	v tree.View
	// enters reports whether to search the folder at path, depth levels below skills/.
	enters func(path string, depth int) bool
	found  []Folder
	out    diag.List
}

func (f *finder) all() ([]Folder, diag.List, error) {
	if err := f.dir(Root, 0); err != nil {
		return nil, nil, fmt.Errorf("list capabilities: %w", err)
	}
	f.out.Sort()
	return f.found, f.out, nil
}

// dir searches a folder, depth levels below skills/.
func (f *finder) dir(path string, depth int) error {
	entries, err := f.v.List(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	owned := map[string]tree.Entry{}
	dirs := 0
	for _, e := range entries {
		owned[e.Path[len(path)+1:]] = e
		if e.Mode == tree.Dir {
			dirs++
		}
	}
	if depth > 0 && f.capability(path, depth, owned) {
		return nil
	}
	if dirs > MaxEntries && depth < 2 {
		f.out.Errorf(RuleGroups, diag.Pos{File: path}, "sort them into groups: "+Root+"/<group>/<name>", "%d folders in %s, more than %d", dirs, path, MaxEntries)
	}
	for _, e := range entries {
		if e.Mode != tree.Dir || !f.enters(e.Path, depth+1) {
			continue
		}
		if err := f.dir(e.Path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// capability reports whether the folder at path is a capability, and adds diagnostics if
// it should be one or must not be.
func (f *finder) capability(path string, depth int, entries map[string]tree.Entry) bool {
	_, isSkill := entries[SkillFile]
	switch {
	case isSkill && depth > 2:
		f.out.Errorf(RuleSkillDepth, diag.Pos{File: tree.Join(path, SkillFile)}, "move the folder to "+Root+"/<group>/<name>",
			"the capability stands %d levels below %s/, more than 2", depth, Root)
		return true
	case isSkill:
		f.found = append(f.found, FolderOf(path))
		return true
	}
	for name := range entries {
		if names.Fold(name) == names.Fold(SkillFile) {
			f.out.Errorf(RuleSkillCase, diag.Pos{File: tree.Join(path, name)}, "rename it to SKILL.md", "the file is called %q", clip(name))
			return true
		}
	}
	for _, name := range []string{RecordFile, SuiteFile, ServerFile, ScriptsDir} {
		if e, there := entries[name]; there && (e.Mode == tree.Dir) == (name == ScriptsDir) {
			f.out.Errorf(RuleSkillMissing, diag.Pos{File: path}, "add a SKILL.md with name and description", "the folder has %s and no SKILL.md", name)
			return true
		}
	}
	return false
}

// Registry loads all capabilities of v and checks them together: names must be unique
// across groups. The list is in Git's order.
func Registry(v tree.View) ([]Capability, diag.List, error) {
	folders, out, err := Folders(v)
	if err != nil {
		return nil, nil, err
	}
	all := make([]Capability, 0, len(folders))
	for _, f := range folders {
		c, found, err := Load(v, f.Path)
		if err != nil {
			return nil, nil, err
		}
		out.Add(found...)
		all = append(all, c)
	}
	out.Add(CheckTwins(folders)...)
	out.Sort()
	return all, out, nil
}

// CheckTwins reports capabilities with the same name, ignoring case and the difference of
// '-' and '_'. It also checks the names of groups.
func CheckTwins(folders []Folder) diag.List {
	var out diag.List
	first := make(map[string]Folder, len(folders))
	groups := map[string]bool{}
	for _, f := range folders {
		pos := diag.Pos{File: tree.Join(f.Path, SkillFile)}
		if f.Group != "" && !groups[f.Group] {
			groups[f.Group] = true
			out.Add(names.CheckGroup(f.Group, pos)...)
		}
		key := names.Fold(f.Name)
		if other, taken := first[key]; taken {
			out.Add(diag.Diagnostic{Rule: RuleTwin, Pos: pos, Fix: "rename one of them", Also: diag.Pos{File: tree.Join(other.Path, SkillFile)},
				Message: fmt.Sprintf("%s and %s answer to one name", f.Path, other.Path)})
			continue
		}
		first[key] = f
	}
	return out
}
