package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readWorktreeFile reads a regular file below root without following a link on the
// way, not even one that was put there a moment ago, and without waiting for a FIFO.
// It asks the kernel to hold all of that in one call: os.Root opens every folder on the
// way, which took more than half of the time of reading a registry.
func readWorktreeFile(root, path string) ([]byte, error) {
	dir, err := ignoringEINTR(func() (int, error) {
		return unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: root, Err: err}
	}
	defer unix.Close(dir)
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat2(dir, path, &unix.OpenHow{
			Flags:   unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOCTTY | unix.O_NONBLOCK,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
		})
	})
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN):
		return readInRoot(root, path) // a kernel or a sandbox that does not have the call
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fmt.Errorf("%w: it was a file and is none now", fs.ErrInvalid)
	}
	return readAll(fd, path, stat.Size)
}

// readAll reads a file that had size bytes a moment ago, to its end.
func readAll(fd int, path string, size int64) ([]byte, error) {
	if size > maxWorktreeFile {
		return nil, ErrTooLarge
	}
	data := make([]byte, 0, size+1) // so that the end is met without growing
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
