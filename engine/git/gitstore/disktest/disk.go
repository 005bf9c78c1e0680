package disktest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// ErrDead is the error of a disk whose process died.
var ErrDead = errors.New("disktest: the process is dead")

// Kind is the kind of an operation.
type Kind string

// The operations.
const (
	Open    Kind = "OpenFile"
	Write   Kind = "Write"
	Sync    Kind = "Sync"
	Mkdir   Kind = "Mkdir"
	Rename  Kind = "Rename"
	Remove  Kind = "Remove"
	Link    Kind = "Link"
	SyncDir Kind = "SyncDir"
)

// Op is one operation that changed the disk, or tried to.
type Op struct {
	Kind Kind
	// Site is the calling source line: file.go:line.
	Site string
	// Path is the file or folder, To the new name of a Rename or Link.
	Path, To string
	// Data is the data of a Write.
	Data []byte
	// Failed is set if the operation did not happen.
	Failed bool
	// handle identifies the open file. fresh is set if this Open created or truncated the file.
	handle int
	fresh  bool
}

// Disk is the real file system that records its operations.
type Disk struct {
	// DieAt is the number, from 1, of the operation at which the process dies; that and later
	// ones do not happen. 0 is never. With Torn, half of it happens if it is a Write.
	DieAt int
	Torn  bool
	// FailAt is the number of the operation that fails for lack of space; 0 is none.
	FailAt int

	mu      sync.Mutex
	ops     []Op
	handles int
	dead    bool
}

var _ gitstore.Disk = (*Disk)(nil)

// Ops returns the operations so far, including the one that died.
func (d *Disk) Ops() []Op {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Op(nil), d.ops...)
}

// do records and executes an operation, unless it dies or fails.
func (d *Disk) do(op Op, act func(*Op) error) error {
	op.Site = site()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return ErrDead
	}
	var err error
	switch len(d.ops) + 1 {
	case d.DieAt:
		d.dead, err = true, ErrDead
		if d.Torn && op.Kind == Write {
			op.Data = op.Data[:len(op.Data)/2]
			err = errors.Join(err, act(&op))
		}
	case d.FailAt:
		err = &fs.PathError{Op: string(op.Kind), Path: op.Path, Err: syscall.ENOSPC}
	default:
		err = act(&op)
	}
	op.Failed = err != nil
	d.ops = append(d.ops, op)
	return err
}

// site returns the nearest caller outside of this package.
func site() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/disktest.") {
			return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		}
		if !more {
			return ""
		}
	}
}

// OpenFile implements gitstore.Disk.
func (d *Disk) OpenFile(name string, flag int, perm fs.FileMode) (gitstore.File, error) {
	f := &file{disk: d, path: name}
	_, err := os.Lstat(name)
	op := Op{Kind: Open, Path: name, fresh: err != nil || flag&os.O_TRUNC != 0}
	err = d.do(op, func(op *Op) (err error) {
		d.handles++
		f.handle, op.handle = d.handles, d.handles
		f.File, err = os.OpenFile(name, flag, perm)
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Mkdir implements gitstore.Disk.
func (d *Disk) Mkdir(name string, perm fs.FileMode) error {
	return d.do(Op{Kind: Mkdir, Path: name}, func(*Op) error { return os.Mkdir(name, perm) })
}

// Rename implements gitstore.Disk.
func (d *Disk) Rename(from, to string) error {
	return d.do(Op{Kind: Rename, Path: from, To: to}, func(*Op) error { return os.Rename(from, to) })
}

// Remove implements gitstore.Disk.
func (d *Disk) Remove(name string) error {
	return d.do(Op{Kind: Remove, Path: name}, func(*Op) error { return os.Remove(name) })
}

// Link implements gitstore.Disk.
func (d *Disk) Link(name, also string) error {
	return d.do(Op{Kind: Link, Path: name, To: also}, func(*Op) error { return os.Link(name, also) })
}

// SyncDir implements gitstore.Disk. It syncs nothing.
func (d *Disk) SyncDir(name string) error {
	return d.do(Op{Kind: SyncDir, Path: name}, func(*Op) error {
		_, err := os.Stat(name)
		return err
	})
}

type file struct {
	*os.File
	disk   *Disk
	path   string
	handle int
}

// Write implements gitstore.File.
func (f *file) Write(b []byte) (n int, err error) {
	op := Op{Kind: Write, Path: f.path, Data: append([]byte(nil), b...), handle: f.handle}
	err = f.disk.do(op, func(op *Op) (err error) {
		n, err = f.File.Write(op.Data)
		return err
	})
	return n, err
}

// Sync implements gitstore.File.
func (f *file) Sync() error {
	return f.disk.do(Op{Kind: Sync, Path: f.path, handle: f.handle}, func(*Op) error { return nil })
}
