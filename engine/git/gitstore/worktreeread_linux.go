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

// diskFiles reads regular files below a folder without following a link on the way,
// not even one that was put there a moment ago, and without waiting for a FIFO. It asks
// the kernel to hold all of that in one call: os.Root opens every folder on the way,
// which took more than half of the time of reading a registry.
type diskFiles struct {
	root string
	dir  *os.File // stays open while a reader may need it
}

func openDisk(root string) (diskFiles, error) {
	dir, err := os.Open(root)
	return diskFiles{root: root, dir: dir}, err
}

// read reads a file, into the memory of buffer if there is room.
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
		return readInRoot(d.root, path) // a kernel or a sandbox that does not have the call
	case err != nil:
		return diskFile{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return diskFile{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return diskFile{}, fmt.Errorf("%w: it was a file and is none now", fs.ErrInvalid)
	}
	data, err := readAll(fd, path, stat.Size, buffer)
	return diskFile{data: data, executable: stat.Mode&unix.S_IXUSR != 0}, err
}

// readAll reads a file that had size bytes a moment ago, to its end.
func readAll(fd int, path string, size int64, buffer []byte) ([]byte, error) {
	if size > maxWorktreeFile {
		return nil, ErrTooLarge
	}
	data := slices.Grow(buffer[:0], int(size)+1) // so that the end is met without growing
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
