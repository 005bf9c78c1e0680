package gitstore

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// diskFile is a regular file of the worktree as it was when it was read.
type diskFile struct {
	data       []byte
	executable bool // its owner may run it
}

// readInRoot reads a regular file below root, which no link leads out of, even one that
// was put in place of a folder a moment ago.
func readInRoot(dir, path string) (diskFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return diskFile{}, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return diskFile{}, err
	}
	if !info.Mode().IsRegular() {
		return diskFile{}, fmt.Errorf("it was a file and is %s now", info.Mode().Type())
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return diskFile{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWorktreeFile+1))
	if err == nil && len(data) > maxWorktreeFile {
		err = ErrTooLarge
	}
	return diskFile{data: data, executable: info.Mode()&0o100 != 0}, err
}
