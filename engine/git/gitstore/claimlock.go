package gitstore

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// locksDir is where files are made that are to be locks, relative to the Git folder.
const locksDir = "assent/locks/"

// errNoLinks is the answer of create where a file cannot have two names.
var errNoLinks = errors.New("no hard links")

// create makes an empty file that is claimed before it has its name. That the name is
// taken is fs.ErrExist, that its folder is gone fs.ErrNotExist.
func (c *claim) create(path string) (File, error) {
	if c.noLinks {
		return nil, errNoLinks
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fs.ErrExist // and repeated attempts create no files
	}
	first := filepath.Join(c.root, filepath.FromSlash(locksDir), rand.Text())
	c.name(first)
	file, err := c.open(first)
	if err != nil {
		return nil, errNoLinks
	}
	c.made(path, file)
	err = c.disk.Link(first, path)
	c.remove(c.disk, first)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.noLinks = true
	return nil, errNoLinks
}

// open makes the file that is to be linked, and its folder when that is missing.
func (c *claim) open(path string) (File, error) {
	file, err := c.disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if _, err := makeDirs(c.disk, filepath.Dir(path)); err != nil {
		return nil, err
	}
	return c.disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
