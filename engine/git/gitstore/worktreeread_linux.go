package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// diskFiles reads regular files below a folder. It follows no link, not even one that was just
// created, and does not block on a FIFO. One system call guarantees this: os.Root opens every
// folder on the path, which took more than half the time of reading a registry.
type diskFiles struct {
	root string
	dir  *os.File // stays open while readers may need it
}

func openDisk(root string) (diskFiles, error) {
	dir, err := os.Open(root)
	return diskFiles{root: root, dir: dir}, err
}

// read reads a file, into buffer if it has room.
func (d diskFiles) read(path string, buffer []byte) (diskFile, error) {
	defer runtime.KeepAlive(d.dir)
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat2(int(d.dir.Fd()), path, &unix.OpenHow{
			Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
		})
	})
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN):
		return readInRoot(d.root, path) // the kernel or a sandbox does not offer the call
	case err != nil:
		return diskFile{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return diskFile{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return diskFile{}, fmt.Errorf("%w: it is no longer a regular file", fs.ErrInvalid)
	}
	data, err := readAll(fd, path, stat.Size, buffer)
	return diskFile{data: data, executable: stat.Mode&unix.S_IXUSR != 0}, err
}

// readAll reads a file to its end. size is its expected size.
func readAll(fd int, path string, size int64, buffer []byte) ([]byte, error) {
	if size > maxWorktreeFile {
		return nil, ErrTooLarge
	}
	data := slices.Grow(buffer[:0], int(size)+1) // so that the end is reached without growing
	for {
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		data = data[:len(data)+n]
		switch {
		case n == 0:
			return data, nil
		case len(data) > maxWorktreeFile:
			return nil, ErrTooLarge
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
