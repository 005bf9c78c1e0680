//go:build amd64 || arm64

package stage

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Program makes the program that carries an Order out. It depends on the kernel, which has to be
// the one that it will run on.
func (o Order) Program() (Program, error) {
	m := &image{data: make([]byte, 8)} // room for where the list of steps is
	o.handOver(m)
	m.do("closing descriptors", unix.SYS_CLOSE_RANGE, Report, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	m.do("refusing new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	o.restrictFiles(m, LandlockVersion())
	o.becomeUser(m)
	o.filterCalls(m)
	report(m)
	o.become(m)
	return m.program()
}

// becomeUser gives up root, and with it all capabilities.
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

// report says that the program begins, and hands out what the end of all that is in this process
// namespace can be seen by: its first process.
func report(m *image) {
	const what = "reporting"
	first := m.do(what, unix.SYS_PIDFD_OPEN, 1, 0)
	message, fd := m.handing([]byte(Began))
	first.keep = fd
	m.do(what, unix.SYS_SENDMSG, Report, message, 0)
}

// become limits this process and makes it the program. Its limits are the program's.
func (o Order) become(m *image) {
	for _, resource := range slices.Sorted(maps.Keys(o.Limits)) {
		limit := o.Limits[resource]
		m.do("limiting resources", unix.SYS_PRLIMIT64, 0, uint64(resource), m.words(limit, limit), 0)
	}
	path := m.text(o.Args[0])
	m.do("running "+o.Args[0], unix.SYS_EXECVE, path, m.texts(o.Args), m.texts(o.Env))
}
