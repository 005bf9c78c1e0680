//go:build unix

package scan

import (
	"testing"

	"golang.org/x/sys/unix"
)

// spent returns the processor time of the process, in nanoseconds.
func spent(b *testing.B) int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
