package gitstore

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Disk carries out every change of a repository: creating, writing, renaming, removing and
// syncing files of the Git folder. Reads use the operating system directly. Tests use a disk
// that fails, dies or loses unsynced data (gitstore/disktest); TestOnlyDiskWrites checks that
// the package changes files in no other way.
//
// The methods behave like the functions of package os with the same names.
type Disk interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	// Link gives a file a second name, which must not exist.
	Link(name, also string) error
	// SyncDir makes created, renamed and removed names in a folder durable.
	SyncDir(name string) error
}

// File is a file that is open for writing.
type File interface {
	io.WriteCloser
	// Sync makes the content durable. The name is durable once its folder is synced.
	Sync() error
	Stat() (fs.FileInfo, error)
	// Fd is used for locks that end with the process.
	Fd() uintptr
}

// osDisk is the file system itself.
type osDisk struct{}

func (osDisk) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err // a nil *os.File would be a non-nil File
	}
	return f, nil
}

func (osDisk) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }
func (osDisk) Rename(from, to string) error              { return os.Rename(from, to) }
func (osDisk) Remove(name string) error                  { return os.Remove(name) }
func (osDisk) Link(name, also string) error              { return os.Link(name, also) }

// SyncDir does nothing if the system cannot sync a folder; a rename is then as durable as the
// system makes it.
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

// makeDirs creates a folder and its parents. It returns the folders to sync to make them
// durable.
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
