//go:build amd64 || arm64

package stage

import (
	"golang.org/x/sys/unix"
)

// listen listens on a port inside the sandbox, which has no other network, and passes the
// listening socket to the process outside. So no process inside has to forward connections.
func (o Order) listen(m *image) {
	if o.Port == 0 {
		return
	}
	const what = "handing over a socket"
	message, fd := m.descriptorMessage([]byte{0})
	address := m.bytes([]byte{unix.AF_INET, 0, byte(o.Port >> 8), byte(o.Port), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	m.do(what, unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0).keep = fd
	m.do(what, unix.SYS_BIND, 0, address, unix.SizeofSockaddrInet4).from = fd
	m.do(what, unix.SYS_LISTEN, 0, 64).from = fd
	m.do(what, unix.SYS_SENDMSG, uint64(o.Channel), message, 0)
}

// descriptorMessage adds a message that passes a descriptor, and returns the address for that descriptor.
func (m *image) descriptorMessage(text []byte) (message, fd uint64) {
	part := m.words(m.bytes(text), uint64(len(text)))
	control := m.words(uint64(unix.CmsgLen(4)), unix.SOL_SOCKET|unix.SCM_RIGHTS<<32, 0)
	return m.words(0, 0, part, 1, control, uint64(unix.CmsgSpace(4)), 0), control + unix.SizeofCmsghdr
}
