//go:build amd64 || arm64

package stage

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Program builds the program that executes an Order. It depends on the running kernel, on which
// the program must run.
func (o Order) Program() (Program, error) {
	m := &image{data: make([]byte, 8)} // the address of the list of steps
	o.listen(m)
	m.do("closing descriptors", unix.SYS_CLOSE_RANGE, Report, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	m.do("refusing new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	o.restrictFiles(m, LandlockVersion())
	o.becomeUser(m)
	o.filterCalls(m)
	path, args := o.command(m)
	report(m)
	o.become(m, path, args)
	return m.program()
}

// becomeUser drops root, and with it all capabilities.
func (o Order) becomeUser(m *image) {
	if o.User == 0 {
		return
	}
	const what = "becoming another user"
	id := uint64(o.User)
	m.do(what, unix.SYS_SETGROUPS, 0, 0)
	m.do(what, unix.SYS_SETRESGID, id, id, id)
	m.do(what, unix.SYS_SETRESUID, id, id, id)
	m.do(what, unix.SYS_CAPSET, m.words(unix.LINUX_CAPABILITY_VERSION_3), m.words(0, 0, 0))
}

// report reports that the program starts, and passes a descriptor of the first process in this
// PID namespace, whose end is the end of all processes in it.
func report(m *image) {
	const what = "reporting"
	first := m.do(what, unix.SYS_PIDFD_OPEN, 1, 0)
	message, fd := m.descriptorMessage([]byte(Began))
	first.keep = fd
	m.do(what, unix.SYS_SENDMSG, Report, message, 0)
}

// command returns the addresses of the program's path and of its arguments, after the last one has arrived.
func (o Order) command(m *image) (path, args uint64) {
	if !o.Late {
		return m.text(o.Args[0]), m.texts(o.Args)
	}
	size := len(o.Message(""))
	path = m.bytes(make([]byte, size+maxArgument))
	m.do("waiting for an argument", unix.SYS_READ, Report, path, uint64(size+maxArgument))
	return path, m.texts(o.Args[:len(o.Args)-1], path+uint64(size-1))
}

// become limits this process and executes the program, which inherits the limits.
func (o Order) become(m *image, path, args uint64) {
	for _, resource := range slices.Sorted(maps.Keys(o.Limits)) {
		limit := o.Limits[resource]
		m.do("limiting resources", unix.SYS_PRLIMIT64, 0, uint64(resource), m.words(limit, limit), 0)
	}
	m.do("running "+o.Args[0], unix.SYS_EXECVE, path, args, m.texts(o.Env))
}
