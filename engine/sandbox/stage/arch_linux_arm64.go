package stage

import (
	"golang.org/x/sys/unix"
)

const (
	arch    = unix.AUDIT_ARCH_AARCH64
	machine = 183 // EM_AARCH64
)

// deniedHere lists the denied calls of this processor only.
var deniedHere = []uint32{unix.SYS_LOOKUP_DCOOKIE}
