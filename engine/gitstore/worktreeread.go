package gitstore

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// readInRoot reads a regular file below root, which no link leads out of, even one that
// was put in place of a folder a moment ago.
func readInRoot(dir, path string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it was a file and is %s now", info.Mode().Type())
	}
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWorktreeFile+1))
	if err == nil && len(data) > maxWorktreeFile {
		err = ErrTooLarge
	}
	return data, err
}
