//go:build unix

package gitstore

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdFile takes the advisory lock on a file, which ends with the process.
func holdFile(f File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }

// tryHoldFile takes it unless somebody has it.
func tryHoldFile(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

func fileNumber(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(s.Ino, 36)
	}
	return ""
}
