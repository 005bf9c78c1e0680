//go:build amd64 || arm64

package stage

import (
	"encoding/binary"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. Both supported processors are little-endian: the lower half
// of an argument comes first.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg3   = 40
)

// newNamespaces has the flags of clone that create a namespace.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// denied lists system calls that no tool needs, on every processor: those that reach into other
// processes, keys, namespaces, mounts, modules, the clock, and large kernel interfaces with a
// history of vulnerabilities.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_PERF_EVENT_OPEN, unix.SYS_FANOTIFY_INIT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_PERSONALITY,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_INOTIFY_INIT1, // reveals which programs and libraries are opened outside: the folders of the system are shared
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET, // memory that no limit of a process counts
}

// filterCalls applies the filter to this thread and the program that it executes.
func (o Order) filterCalls(m *image) {
	filter := program(o.Port != 0)
	var b []byte
	for _, f := range filter {
		b = binary.LittleEndian.AppendUint16(b, f.Code)
		b = binary.LittleEndian.AppendUint32(append(b, f.Jt, f.Jf), f.K)
	}
	prog := m.words(uint64(len(filter)), m.bytes(b)) // a struct sock_fprog
	m.do("filtering system calls", unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, prog)
}

// program returns the filter in classic BPF. A refused call fails with an error, as for a user
// without permission. A call in another processor's numbering kills the process.
func program(network bool) []unix.SockFilter {
	out := []unix.SockFilter{
		load(offArch),
		jump(unix.BPF_JEQ, arch, 1, 0),
		returnAction(unix.SECCOMP_RET_KILL_PROCESS),
		load(offNumber),
		jump(unix.BPF_JGE, 0x40000000, 0, 1), // x32: the same calls by other numbers
		refuse(unix.ENOSYS),
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), // its flags are not visible to the filter; libraries fall back to clone
		refuse(unix.ENOSYS),
	}
	for _, number := range slices.Concat(denied, deniedHere) {
		out = append(out, jump(unix.BPF_JEQ, number, 0, 1), refuse(unix.EPERM))
	}
	out = append(out, only(unix.SYS_CLONE, load(offArg0), jump(unix.BPF_JSET, newNamespaces, 0, 1), refuse(unix.EPERM))...)
	out = append(out, only(unix.SYS_IOCTL, load(offArg1),
		jump(unix.BPF_JEQ, unix.TIOCSTI, 1, 0), jump(unix.BPF_JEQ, unix.TIOCLINUX, 0, 1), refuse(unix.EPERM))...)
	out = append(out, only(unix.SYS_FCNTL, load(offArg1), jump(unix.BPF_JEQ, unix.F_NOTIFY, 0, 1), refuse(unix.EPERM))...) // as inotify
	out = append(out, only(unix.SYS_MMAP, load(offArg3),                                                                   // also not counted by limits: further stacks, and anonymous shared memory
		jump(unix.BPF_JSET, unix.MAP_GROWSDOWN, 2, 0),
		jump(unix.BPF_JSET, unix.MAP_ANONYMOUS, 0, 2), jump(unix.BPF_JSET, unix.MAP_SHARED, 0, 1), refuse(unix.EPERM))...)
	out = append(out, only(unix.SYS_SOCKET, sockets(network)...)...)
	return append(out, returnAction(unix.SECCOMP_RET_ALLOW))
}

// sockets allows local sockets, and TCP if there is a network.
func sockets(network bool) []unix.SockFilter {
	local := []unix.SockFilter{load(offArg0), jump(unix.BPF_JEQ, unix.AF_UNIX, 1, 0), refuse(unix.EACCES)}
	if !network {
		return local
	}
	return []unix.SockFilter{
		load(offArg0),
		jump(unix.BPF_JEQ, unix.AF_UNIX, 6, 0),
		jump(unix.BPF_JEQ, unix.AF_INET, 1, 0),
		jump(unix.BPF_JEQ, unix.AF_INET6, 0, 3),
		load(offArg1),
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf}, // the type without its flags
		jump(unix.BPF_JEQ, unix.SOCK_STREAM, 1, 0),
		refuse(unix.EACCES),
	}
}

// only applies checks to one call, and allows it if they pass.
func only(number uint32, checks ...unix.SockFilter) []unix.SockFilter {
	skip := uint8(len(checks) + 1)
	out := append([]unix.SockFilter{jump(unix.BPF_JEQ, number, 0, skip)}, checks...)
	return append(out, returnAction(unix.SECCOMP_RET_ALLOW))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(test uint16, value uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: value}
}

func returnAction(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

func refuse(errno syscall.Errno) unix.SockFilter {
	return returnAction(unix.SECCOMP_RET_ERRNO | uint32(errno))
}
