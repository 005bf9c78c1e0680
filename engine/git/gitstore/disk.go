package gitstore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Disk is everything through which a repository is changed: each file of the Git
// folder that this package makes, writes, renames or removes goes through it,
// and each sync. Reading goes to the operating system directly. Tests put a disk
// under a repository that fails, dies or forgets what was not synced
// (gitstore/disktest); TestOnlyDiskWrites holds the package to it.
//
// The methods mean what the functions of package os mean that have their names.
type Disk interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	// Link gives a file a second name, which must not be there yet.
	Link(name, also string) error
	// SyncDir makes what was made, renamed and removed in a folder durable.
	SyncDir(name string) error
}

// File is a file that is open for writing.
type File interface {
	io.WriteCloser
	// Sync makes the content durable; its name is durable when its folder is.
	Sync() error
	Stat() (fs.FileInfo, error)
	// Fd is for locks that end with the process.
	Fd() uintptr
}

// osDisk is the file system itself.
type osDisk struct{}

func (osDisk) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File, which would be a File
	}
	return f, nil
}

func (osDisk) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (osDisk) Rename(from, to string) error              { return os.Rename(from, to) }
func (osDisk) Remove(name string) error                  { return os.Remove(name) }
func (osDisk) Link(name, also string) error              { return os.Link(name, also) }

// SyncDir does nothing where the system cannot sync a folder: there a rename is
// as durable as it gets.
func (osDisk) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// makeDirs makes a folder and those above it. It returns the folders that must be
// synced for that to be durable.
func makeDirs(disk Disk, dir string) (changed []string, err error) {
	if isDir(dir) {
		return nil, nil
	}
	above := filepath.Dir(dir)
	if above == dir {
		return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if changed, err = makeDirs(disk, above); err != nil {
		return changed, err
	}
	if err := disk.Mkdir(dir, 0o777); err != nil && !isDir(dir) {
		if errors.Is(err, fs.ErrExist) { // a file is in the way
			err = &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return changed, err
	}
	return append(changed, above), nil
}
