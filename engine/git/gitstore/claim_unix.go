//go:build unix

package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdFile takes the advisory lock on a file, which ends with the process. The error is
// errors.ErrUnsupported if the file system has no locks.
func holdFile(f File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOLCK): // a network file system without its daemon
			return errors.ErrUnsupported
		default:
			return err
		}
	}
}

// tryHoldFile reports whether it could take the lock on a file without waiting.
func tryHoldFile(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

func fileNumber(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(s.Ino, 36)
	}
	return ""
}
