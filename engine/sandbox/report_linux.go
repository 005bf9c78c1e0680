//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// report is the outer end of the channel on which the stage reports its progress.
type report int

// reportChannel creates a channel and returns both ends.
func reportChannel() (r report, inside *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("making a channel to the sandbox: %w", err)
	}
	return report(pair[0]), os.NewFile(uintptr(pair[1]), "report"), nil
}

func (r report) close() { _ = unix.Close(int(r)) } // nothing was written to it

// await waits until everything inside has ended, and returns the reason if the program was not
// started. It is called after bubblewrap's outer process has ended. The first process inside
// closes its files before it kills the others, and the death of the outer process may have made
// it independent, so await kills it and waits for it through the descriptor that the stage
// sent. empty reports whether that happened.
func (r report) await(last stage.Program) (failed string, empty bool) {
	var said strings.Builder
	for {
		text, first, err := receiveWith(int(r))
		if first >= 0 {
			_ = unix.PidfdSendSignal(first, unix.SIGKILL, nil, 0) // it may have ended already
			awaitDescriptor(first)
			empty = true
		}
		if err != nil {
			return err.Error(), false
		}
		if text == "" {
			break // no process remains that could report
		}
		said.WriteString(text)
	}
	text, began := strings.CutPrefix(said.String(), stage.Began)
	switch {
	case text != "":
		return last.Failure([]byte(text)), empty
	case !began:
		return "bubblewrap did not get that far", empty
	}
	return "", empty
}

// receiveWith receives one message, and its descriptor or -1.
func receiveWith(channel int) (text string, fd int, err error) {
	data, control := make([]byte, 4096), make([]byte, unix.CmsgSpace(4))
	n, m := 0, 0
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		n, m, _, _, err = unix.Recvmsg(channel, data, control, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return "", -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:m])
	if err != nil || len(messages) == 0 {
		return string(data[:n]), -1, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return "", -1, err
	}
	return string(data[:n]), fds[0], nil
}

// awaitDescriptor waits until the process of a pidfd has ended, and closes it.
func awaitDescriptor(fd int) {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			_ = unix.Close(fd) // nothing was written to it
			return
		}
	}
}
