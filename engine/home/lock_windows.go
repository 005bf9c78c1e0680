package home

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock on a file unless another process holds it.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// unsupportedSync returns true: Windows cannot flush a folder's handle, and needs not, because
// it journals names itself.
func unsupportedSync(error) bool { return true }
