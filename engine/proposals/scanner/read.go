package scanner

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/assent-dev/assent/engine/base/diag"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/format/capability"
	"github.com/assent-dev/assent/engine/proposals/folder"
	"github.com/assent-dev/assent/engine/scan"
)

// Bounds of one capability. Files beyond them are not read, and block.
const (
	maxFiles = 20_000
	maxBytes = 64 << 20
)

// unit is the folder of a capability's files while they are judged: rules depend on names of
// folders, and names on the disk must not affect them.
const unit = "skills/it"

// read returns the files of t for package scan, and the unreadable ones. A file over limit is
// listed with its size and without its content.
func (t *Target) read(limit int64) ([]scan.File, diag.List) {
	var files []scan.File
	found := append(diag.List(nil), t.diags...)
	total := int64(0)
	for i, f := range t.files {
		size := min(f.info.Size(), limit)
		if total += size; i == maxFiles || total > maxBytes {
			found.Errorf(folder.RuleSize, diag.Pos{File: f.rel}, "name the folder of one skill, or split it",
				"the folder holds more than %d files or %d bytes; from here on nothing was read", maxFiles, int64(maxBytes))
			break
		}
		out := scan.File{Path: unit + "/" + f.rel, Mode: modeOf(f.info)}
		if out.Mode.IsFile() {
			data, err := folder.ReadFile(f.path, f.info, limit)
			if err != nil {
				found.Errorf(RuleUnread, diag.Pos{File: f.rel}, "make it readable for the user who scans, or remove it", "it could not be read: %v", reason(err))
				continue
			}
			if out.Content = data; int64(len(data)) < f.info.Size() {
				out.Size = f.info.Size()
			}
		}
		files = append(files, out)
	}
	return files, found
}

// modeOf returns Git's mode of a file, 0 if Git has none for it.
func modeOf(info fs.FileInfo) tree.Mode {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return tree.Symlink
	case !info.Mode().IsRegular():
		return 0
	case info.Mode()&0o111 != 0:
		return tree.Executable
	}
	return tree.Regular
}

// declared reads the declarations of the capability.yaml files. An unreadable one declares
// nothing, and is still compared.
func declared(files []scan.File) map[string]scan.Declared {
	out := map[string]scan.Declared{}
	for _, f := range files {
		if path.Base(f.Path) == capability.RecordFile && f.Mode.IsFile() {
			r, _ := capability.ParseRecord(f.Path, f.Content)
			out[path.Dir(f.Path)] = scan.Declared{Hosts: r.Requires.Hosts, Secrets: r.Requires.Secrets, SideEffects: r.SideEffects}
		}
	}
	return out
}

// reason is an error without the path, which the finding names already.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return fmt.Errorf("%s: %w", at.Op, at.Err)
	}
	return err
}
