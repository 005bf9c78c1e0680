package gitstore

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// diskFile is the content and mode of a regular file of the worktree when it was read.
type diskFile struct {
	data       []byte
	executable bool // by its owner
}

// readInRoot reads a regular file below dir. No link can lead out of dir, not even one that has
// just replaced a folder.
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
		return diskFile{}, fmt.Errorf("it is no longer a file but %s", info.Mode().Type())
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
