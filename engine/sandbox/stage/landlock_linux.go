//go:build amd64 || arm64

package stage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// What may be done to files where only reading is allowed.
const reading = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

// What there is to be allowed, by the version of Landlock that brought it.
const (
	files1 = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	files2 = files1 | unix.LANDLOCK_ACCESS_FS_REFER
	files3 = files2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	files5 = files3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	net4   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scope6 = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// ruleNetPort and netPort are LANDLOCK_RULE_NET_PORT and its struct, which x/sys lacks.
const ruleNetPort = 2

type netPort struct{ allowed, port uint64 }

// devices of bubblewrap's /dev that are of use to be written to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// LandlockVersion is the version of Landlock that the kernel has, 0 for none.
func LandlockVersion() int {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// restrictFiles applies what the kernel knows of Landlock: the namespaces have taken
// away the rest already, this is the second wall. A kernel without it has only the first,
// which `assent doctor` says.
func (o Order) restrictFiles() error {
	version := LandlockVersion()
	if version == 0 {
		return nil
	}
	handled := unix.LandlockRulesetAttr{Handled_access_fs: handledFiles(version)}
	size := uintptr(8)
	if version >= 4 {
		handled.Handled_access_net, size = net4, 16
	}
	if version >= 6 {
		handled.Scoped, size = scope6, 24
	}
	fd, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), size, 0)
	if errno != 0 {
		return errno
	}
	ruleset := int(fd)
	defer func() { _ = unix.Close(ruleset) }() // exec does it too
	if err := o.allow(ruleset, handled); err != nil {
		return err
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func handledFiles(version int) uint64 {
	switch {
	case version >= 5:
		return files5
	case version >= 3:
		return files3
	case version == 2:
		return files2
	}
	return files1
}

func (o Order) allow(ruleset int, handled unix.LandlockRulesetAttr) error {
	if err := allowBelow(ruleset, "/", reading&handled.Handled_access_fs); err != nil {
		return err
	}
	for _, dir := range o.Runnable {
		if err := allowBelow(ruleset, dir, unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil {
			return err
		}
	}
	for _, dir := range o.Writable {
		if err := allowBelow(ruleset, dir, handled.Handled_access_fs&^unix.LANDLOCK_ACCESS_FS_EXECUTE); err != nil {
			return err
		}
	}
	for _, device := range devices {
		usual := uint64(unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE)
		if err := allowBelow(ruleset, device, usual&handled.Handled_access_fs); err != nil {
			return err
		}
	}
	if o.Port == 0 || handled.Handled_access_net == 0 {
		return nil
	}
	rule := netPort{allowed: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(o.Port)}
	return addRule(ruleset, ruleNetPort, unsafe.Pointer(&rule))
}

// allowBelow allows access to a file, or to all that is in a folder.
func allowBelow(ruleset int, path string, access uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written to it
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	return addRule(ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule))
}

func addRule(ruleset int, kind uintptr, rule unsafe.Pointer) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), kind, uintptr(rule), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
