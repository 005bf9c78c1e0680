//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time that the process has had. On a machine that others
// use, too, it says more about the scanner than a clock does.
func spent() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
