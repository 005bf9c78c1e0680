//go:build unix

package gitstore

import (
	"os"
	"syscall"
)

// ownedByAnother reports whether a file belongs to another user. A file that cannot be examined
// is left to the code that opens it.
func ownedByAnother(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
