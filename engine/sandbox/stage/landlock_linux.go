//go:build amd64 || arm64

package stage

import "golang.org/x/sys/unix"

// Access rights for read-only files.
const reading = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR

// Access rights by the version of Landlock that introduced them.
const (
	files1 = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	files2 = files1 | unix.LANDLOCK_ACCESS_FS_REFER
	files3 = files2 | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	files5 = files3 | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	net4   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	scope6 = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// ruleNetPort is LANDLOCK_RULE_NET_PORT, which x/sys lacks.
const ruleNetPort = 2

// atCurrent is AT_FDCWD as a register value. It has no effect: the paths here are absolute.
const atCurrent = 1<<64 + unix.AT_FDCWD

// devices that programs may write to.
var devices = []string{"/dev/null", "/dev/full", "/dev/urandom"}

// LandlockVersion returns the kernel's version of Landlock, 0 if it has none.
func LandlockVersion() int {
	version, _, errno := unix.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// restrictFiles applies the kernel's version of Landlock, as a second barrier after the
// namespaces. A kernel without it has only the first, which `assent doctor` reports.
func (o Order) restrictFiles(m *image, version int) {
	if version == 0 {
		return
	}
	const what = "applying Landlock"
	handled := unix.LandlockRulesetAttr{Handled_access_fs: handledFiles(version)}
	size := uint64(8)
	if version >= 4 {
		handled.Handled_access_net, size = net4, 16
	}
	if version >= 6 {
		handled.Scoped, size = scope6, 24
	}
	r := &rules{image: m, what: what, ruleset: m.words(0)}
	attr := m.words(handled.Handled_access_fs, handled.Handled_access_net, handled.Scoped)
	m.do(what, unix.SYS_LANDLOCK_CREATE_RULESET, attr, size, 0).keep = r.ruleset
	o.allow(r, handled)
	m.do(what, unix.SYS_LANDLOCK_RESTRICT_SELF, 0, 0).from = r.ruleset
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

// rules adds access rights to a Landlock ruleset.
type rules struct {
	*image

	what    string
	ruleset uint64 // address of its descriptor
}

func (o Order) allow(r *rules, handled unix.LandlockRulesetAttr) {
	r.below("/", reading&handled.Handled_access_fs)
	for _, dir := range o.Runnable {
		r.below(dir, unix.LANDLOCK_ACCESS_FS_EXECUTE)
	}
	for _, dir := range o.Writable {
		r.below(dir, handled.Handled_access_fs&^unix.LANDLOCK_ACCESS_FS_EXECUTE)
	}
	for _, device := range devices {
		usual := uint64(unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE)
		r.below(device, usual&handled.Handled_access_fs)
	}
	if o.Port != 0 && handled.Handled_access_net != 0 {
		r.add(ruleNetPort, r.words(unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, uint64(o.Port)))
	}
}

// below allows access to a file, or to everything in a folder.
func (r *rules) below(path string, access uint64) {
	rule := r.words(access, 0) // a struct landlock_path_beneath_attr
	r.do(r.what+" to "+path, unix.SYS_OPENAT, atCurrent, r.text(path), unix.O_PATH|unix.O_CLOEXEC, 0).keep = rule + 8
	r.add(unix.LANDLOCK_RULE_PATH_BENEATH, rule)
}

func (r *rules) add(kind, rule uint64) {
	r.do(r.what, unix.SYS_LANDLOCK_ADD_RULE, 0, kind, rule, 0).from = r.ruleset
}
