package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/names"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/upstream"
	"github.com/assent-dev/assent/engine/proposals/folder"
)

// Folder is one folder that holds a SKILL.md.
type Folder struct {
	// Path is the named path joined with the path below it.
	Path string
	// Name is the folder's own name, Group the group suggested by its place, "" for none.
	Name, Group string
	// Files are those of an archive or a Git tree, with paths in the folder; nil for a folder on the
	// disk. Unread are the findings of reading them.
	Files  []tree.Edit
	Unread diag.List
	// Inside is the folder's path in a Git tree.
	Inside string
	// Track is set for a folder whose source is to be recorded; Tree is filled in.
	Track *upstream.Record
}

// read reads the folder within bounds, without a record that it brings itself: that would make the
// capability follow an address which the import did not name.
func (f Folder) read(b folder.Bounds) (files []tree.Edit, unread diag.List, err error) {
	if f.Files == nil {
		files, unread, err = folder.Read(f.Path, b)
	} else {
		files, unread = folder.Within(f.Files, b)
		unread = append(slices.Clone(f.Unread), unread...)
	}
	//defence:upstreams-record-no-source
	files = slices.DeleteFunc(slices.Clone(files), func(e tree.Edit) bool { return upstream.IsFile(e.Path) })
	return files, unread, err
}

// InArchive returns the capabilities in the files of an export, in order. Paths are shown below file.
func InArchive(file string, files []tree.Edit) ([]Folder, diag.List) {
	var ds diag.List
	holds := map[string]bool{}
	for _, e := range files {
		if dir, is := strings.CutSuffix(e.Path, "/"+names.SkillFile); is {
			holds[dir] = true
		}
	}
	places := map[string]int{}
	var out []Folder
	for i, e := range files {
		c, ok := names.ParseSkillPath(e.Path, func(dir string) bool { return holds[dir] })
		if !ok {
			ds.Errorf(RuleNothing, diag.Pos{File: file, Line: i + 2}, "add the "+names.SkillFile+" of its folder, or take the line out and lower files in line 1 by one", "%s belongs to no folder with a %s", e.Path, names.SkillFile)
			continue
		}
		at, known := places[c.Dir]
		if !known {
			at = len(out)
			places[c.Dir], out = at, append(out, Folder{Path: file + ":" + c.Dir, Name: c.Name, Group: c.Group})
		}
		e.Path = c.Rest
		out[at].Files = append(out[at].Files, e)
	}
	if len(files) == 0 {
		ds.Errorf(RuleNothing, diag.Pos{File: file}, "export a registry with capabilities", "the export holds no capability")
	}
	return out, ds
}

// Find finds skills in and below paths, in order: every folder with a SKILL.md in any case.
// Everything inside such a folder belongs to it. Links are reported and not followed; overlapping
// paths give each folder once. The error is for a missing path.
func Find(ctx context.Context, paths []string) ([]Folder, diag.List, error) {
	f := finder{ctx: ctx, seen: map[string]bool{}}
	for _, p := range paths {
		if err := f.from(p); err != nil {
			return nil, nil, err
		}
	}
	if len(f.found) == 0 {
		f.diags.Errorf(RuleNothing, diag.Pos{File: filepath.ToSlash(paths[0])}, "name a folder with a SKILL.md, or one that holds such folders",
			"no folder with a SKILL.md was found in %s", strings.Join(paths, ", "))
	}
	return f.found, f.diags, nil
}

// ErrFile is returned by Find for a path of a file other than a SKILL.md.
var ErrFile = errors.New("it is a file; name the folder that holds it")

type finder struct {
	ctx   context.Context
	seen  map[string]bool // absolute paths
	found []Folder
	diags diag.List
}

func (f *finder) from(path string) error {
	info, err := os.Stat(path) // a link named by the user means its target
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("import %s: %w", path, fs.ErrNotExist)
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", path, err)
	}
	if !info.IsDir() {
		if !isSkillFile(filepath.Base(path)) {
			return fmt.Errorf("import %s: %w", path, ErrFile)
		}
		path = filepath.Dir(path)
	}
	return f.dir(path, nil)
}

// dir looks at one folder; above are the names of the folders between it and the
// path that was named, that one excluded.
func (f *finder) dir(path string, above []string) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	var entries []os.DirEntry
	if err == nil {
		entries, err = os.ReadDir(real)
	}
	if err != nil {
		f.diags.Warnf(RuleRead, diag.Pos{File: filepath.ToSlash(path)}, "make it readable, or leave it out", "%v", err)
		return nil
	}
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && isSkillFile(e.Name()) }) {
		if !f.seen[real] {
			f.seen[real] = true
			f.found = append(f.found, Folder{Path: path, Name: filepath.Base(real), Group: groupOf(above)})
		}
		return nil
	}
	for _, e := range entries {
		if err := f.entry(path, above, e); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) entry(path string, above []string, e os.DirEntry) error {
	below := filepath.Join(path, e.Name())
	switch {
	case folder.Ignored(e.Name()):
	case e.IsDir():
		return f.dir(below, append(slices.Clone(above), e.Name()))
	case e.Type()&fs.ModeSymlink != 0:
		f.diags.Warnf(folder.RuleSpecial, diag.Pos{File: filepath.ToSlash(below)}, "name its target, if that is meant",
			"%s is left out: it is a symbolic link", e.Name())
	}
	return nil
}

func isSkillFile(name string) bool { return strings.EqualFold(name, names.SkillFile) }

// groupOf picks a group for a skill whose folder and those above it are called so:
// the nearest one above that could be a group's name and says more than "skills".
func groupOf(path []string) string {
	for i := len(path) - 2; i >= 0; i-- {
		if name := path[i]; name != "skills" && names.IsName(name) {
			return name
		}
	}
	return ""
}
