//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// grouped prepares a command that gets a process group of its own, which is killed
// whole when its leader has ended. While the leader is not yet waited for, no other process
// can have its number.
func grouped(cmd *exec.Cmd, release func()) *job {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	kill := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) } // gone is as good
	return &job{
		cmd: cmd, start: cmd.Start, kill: kill, release: release, status: signalled,
		reap: func() string {
			awaitEnd(cmd.Process.Pid)
			kill()
			return ""
		},
	}
}

// signalled tells how the process itself ended.
func signalled(state *os.ProcessState) (exit int, signal string) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}

// awaitEnd returns when a child has ended, and leaves it to be waited for.
func awaitEnd(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
