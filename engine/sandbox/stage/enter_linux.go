//go:build amd64 || arm64

package stage

import (
	"maps"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// init enters the stage if that was asked for; then it never returns.
//
//nolint:gochecknoinits // the point of this package: see doc.go
func init() {
	value, asked := unix.Getenv(Variable)
	if !asked {
		return
	}
	what, err := enter(value)
	_, _ = unix.Write(Report, []byte(what+": "+err.Error())) // nobody else to tell
	unix.Exit(1)
}

// enter does what is ordered and does not return unless a step of it fails, which is
// then named. The main goroutine is on one thread while packages are set up, and
// everything here is of that thread alone, which is all that is left after exec.
func enter(value string) (what string, err error) {
	fd, err := strconv.Atoi(value)
	if err != nil {
		return "reading " + Variable, err
	}
	text, err := readAll(fd)
	if err != nil {
		return "reading the order", err
	}
	order, err := Parse(text)
	if err != nil {
		return "reading the order", err
	}
	return order.carryOut()
}

func (o Order) carryOut() (what string, err error) {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"handing over a socket", o.handOver},
		{"closing descriptors", func() error { return unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) }},
		{"refusing new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"applying Landlock", o.restrictFiles},
		{"becoming another user", o.becomeUser},
		{"filtering system calls", o.filterCalls},
		{"reporting", report},
	} {
		if err := step.do(); err != nil {
			return step.what, err
		}
	}
	return o.become()
}

// become limits this process and makes it the program. Everything is made ready before: under
// the limits, which are the program's, the memory of what runs here may be too much already
// (that of the race detector is), and a Go program that gets no more ends.
func (o Order) become() (what string, err error) {
	path, err := unix.BytePtrFromString(o.Args[0])
	if err != nil {
		return "running " + o.Args[0], err
	}
	args, err := syscall.SlicePtrFromStrings(o.Args)
	if err != nil {
		return "running " + o.Args[0], err
	}
	env, err := syscall.SlicePtrFromStrings(o.Env)
	if err != nil {
		return "running " + o.Args[0], err
	}
	resources := slices.Sorted(maps.Keys(o.Limits))
	limits := make([]unix.Rlimit, len(resources))
	for i, resource := range resources {
		limits[i] = unix.Rlimit{Cur: o.Limits[resource], Max: o.Limits[resource]}
	}
	for i, resource := range resources {
		_, _, errno := unix.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(resource), uintptr(unsafe.Pointer(&limits[i])), 0, 0, 0)
		if errno != 0 {
			return "limiting resources", errno
		}
	}
	_, _, errno := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&args[0])), uintptr(unsafe.Pointer(&env[0])))
	return "running " + o.Args[0], errno
}

// report says that the program begins, and hands out what the end of all that is in this process
// namespace can be seen by: its first process.
func report() error {
	first, err := unix.PidfdOpen(1, 0)
	if err != nil {
		return err
	}
	return unix.Sendmsg(Report, []byte(Began), unix.UnixRights(first), nil, 0)
}

func readAll(fd int) ([]byte, error) {
	var out []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return out, err
		}
		out = append(out, buf[:n]...)
	}
}

// becomeUser gives up root, and with it all capabilities.
func (o Order) becomeUser() error {
	if o.User == 0 {
		return nil
	}
	id := uintptr(o.User)
	for _, call := range [][4]uintptr{
		{unix.SYS_SETGROUPS, 0, 0, 0},
		{unix.SYS_SETRESGID, id, id, id},
		{unix.SYS_SETRESUID, id, id, id},
	} {
		if _, _, errno := unix.RawSyscall(call[0], call[1], call[2], call[3]); errno != 0 {
			return errno
		}
	}
	none := [2]unix.CapUserData{}
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}
