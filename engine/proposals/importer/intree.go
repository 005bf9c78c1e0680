package importer

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/proposals/folder"
)

// mostEntries bounds the entries of a foreign tree that are looked at: a tree of a few kilobytes can
// name billions of files, because its folders can be one object.
const mostEntries = 50_000

// InTree returns the skills in and below dir of a tree that others made, in order: every folder
// with a SKILL.md in any case, except those inside another one. name stands for the tree in paths
// and messages, and for the name of its top folder. The error is tree.ErrTooLarge for one with more
// entries than may be looked at, fs.ErrNotExist without dir, or a damaged tree.
func InTree(v tree.View, name, dir string, b folder.Bounds) ([]Folder, error) {
	if _, err := v.Lookup(dir); err != nil {
		return nil, err
	}
	var all []tree.Entry
	holds := map[string]bool{}
	err := tree.FilesWithin(v, dir, mostEntries, func(e tree.Entry) error {
		if slices.ContainsFunc(strings.Split(e.Path, "/"), folder.Ignored) {
			return nil
		}
		if e.Mode.IsFile() && isSkillFile(path.Base(e.Path)) {
			holds[top(path.Dir(e.Path))] = true
		}
		all = append(all, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	below, order := map[string][]tree.Entry{}, []string{}
	for _, e := range all {
		at, ok := outermost(holds, dir, e.Path)
		if !ok {
			continue
		}
		if below[at] == nil {
			order = append(order, at)
		}
		below[at] = append(below[at], e)
	}
	var out []Folder
	for _, at := range order {
		f := Folder{Path: name, Name: path.Base(at), Inside: at}
		if at == "" {
			f.Name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, ":", "/")), ".git")
		} else {
			f.Path += ":" + at
			f.Group = groupOf(strings.Split(strings.TrimPrefix(strings.TrimPrefix(at, dir), "/"), "/"))
		}
		if f.Files, f.Unread, err = folder.FromTree(v, at, below[at], b); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// outermost returns the folder nearest to dir that holds a skill and the file.
func outermost(holds map[string]bool, dir, file string) (string, bool) {
	if holds[dir] {
		return dir, true
	}
	for i := len(dir) + 1; i < len(file); i++ {
		if file[i] == '/' && holds[file[:i]] {
			return file[:i], true
		}
	}
	return "", false
}

// top is a folder as views name it.
func top(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}
