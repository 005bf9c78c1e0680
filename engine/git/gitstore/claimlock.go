package gitstore

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// locksDir holds new lock files before they are linked, relative to the Git folder.
const locksDir = "assent/locks/"

// errNoLinks is returned by create if the file system has no hard links.
var errNoLinks = errors.New("no hard links")

// create creates an empty file that is claimed before it gets its name. The error is
// fs.ErrExist if the name exists, and fs.ErrNotExist if its folder is missing.
func (c *claim) create(path string) (File, error) {
	if c.noLinks {
		return nil, errNoLinks
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fs.ErrExist // repeated attempts create no files
	}
	first := filepath.Join(c.root, filepath.FromSlash(locksDir), rand.Text())
	c.addName(first)
	file, err := c.open(first)
	if err != nil {
		return nil, errNoLinks
	}
	c.addEmpty(path, file)
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

// open creates the file that is to be linked, and its folder if missing.
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
