package stage

import (
	"golang.org/x/sys/unix"
)

const (
	arch    = unix.AUDIT_ARCH_X86_64
	machine = 62 // EM_X86_64
)

// deniedHere lists the denied calls of this processor only.
var deniedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS_USELIB, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_INOTIFY_INIT}
