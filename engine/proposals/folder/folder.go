// Package folder reads folders of the user's disk as edits, to be proposed or imported.
//
// It follows no symbolic link, opens nothing but regular files, and looks at
// sizes before it reads. It writes nothing.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
)

// Bounds stop a folder that is no skill from being read whole.
type Bounds struct {
	Files     int
	FileBytes int64
	Bytes     int64
}

// Ignored reports names that are never part of a proposal: leftovers of version control, package
// managers and file browsers.
func Ignored(name string) bool {
	return slices.Contains([]string{".git", ".hg", ".svn", "node_modules", "__pycache__", ".DS_Store"}, name)
}

// Read returns the files below dir with paths relative to it, in order. Links, devices and files
// past the bounds are diagnosed and left out; dir itself may be a link, because the user named it.
// The error is for a folder that cannot be read at all.
func Read(dir string, b Bounds) ([]tree.Edit, diag.List, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read folder %s: %w", dir, err)
	}
	r := reader{root: root, bounds: b}
	info, err := os.Stat(root)
	if err != nil {
		return nil, nil, fmt.Errorf("read folder %s: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("read folder %s: it is a file; name the folder that holds it", dir)
	}
	err = filepath.WalkDir(root, r.visit)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read folder %s: %w", dir, err)
	}
	return r.edits, r.diags, nil
}

var errEnough = errors.New("enough")

type reader struct {
	root   string
	bounds Bounds
	edits  []tree.Edit
	diags  diag.List
	total  int64
}

func (r *reader) visit(path string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(r.root, path)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	if Ignored(d.Name()) && path != r.root {
		if d.IsDir() {
			return filepath.SkipDir
		}
		return nil
	}
	if d.IsDir() {
		return nil
	}
	if !d.Type().IsRegular() {
		r.diags.Warnf(RuleSpecial, diag.Pos{File: rel}, specialFix(d.Type()), "%s is left out: it is %s", rel, typeName(d.Type()))
		return nil
	}
	return r.file(path, rel, d)
}

func (r *reader) file(path, rel string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if fits, err := r.fits(rel, info.Size()); !fits {
		return err
	}
	data, err := ReadFile(path, info, info.Size())
	if err != nil {
		return err
	}
	mode := tree.Regular
	if info.Mode()&0o111 != 0 && strings.Contains("/"+rel, "/scripts/") {
		mode = tree.Executable
	}
	r.edits = append(r.edits, tree.Edit{Path: rel, Mode: mode, Content: data})
	return nil
}

// fits reports whether a file is within the bounds. The error is errEnough if no other file can be.
func (r *reader) fits(rel string, size int64) (bool, error) {
	if size > r.bounds.FileBytes {
		r.diags.Errorf(RuleFileSize, diag.Pos{File: rel}, "make the file smaller, or keep the data elsewhere and name it",
			"the file has %d bytes, the limit is %d", size, r.bounds.FileBytes)
		return false, nil
	}
	if r.total += size; r.total > r.bounds.Bytes || len(r.edits) == r.bounds.Files {
		r.diags.Errorf(RuleSize, diag.Pos{File: rel}, "name the folder of one skill, or split it",
			"the folder holds more than %d files or %d bytes", r.bounds.Files, r.bounds.Bytes)
		return false, errEnough
	}
	return true, nil
}

// Within holds files that are in memory to the bounds of Read.
func Within(files []tree.Edit, b Bounds) ([]tree.Edit, diag.List) {
	r := reader{bounds: b}
	for _, e := range files {
		fits, err := r.fits(e.Path, int64(len(e.Content)))
		if err != nil {
			break
		}
		if fits {
			r.edits = append(r.edits, e)
		}
	}
	return r.edits, r.diags
}

// ReadFile reads the regular file that info describes, at most limit+1 bytes of it, and refuses a
// file that was replaced (by a link or a pipe) or grew since.
func ReadFile(path string, info fs.FileInfo, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, min(info.Size(), limit)+1))
	if err == nil && (!os.SameFile(info, now) || int64(len(data)) > info.Size()) {
		err = fmt.Errorf("%s changed while it was read; try again", path)
	}
	return data, err
}

// specialFix returns the remedy: a link can be replaced by its target.
func specialFix(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "replace it by its target, or remove it"
	}
	return "remove it, or leave it: only files can be proposed"
}

func typeName(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
