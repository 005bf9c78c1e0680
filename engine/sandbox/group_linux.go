//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// grouped prepares a command with its own process group, which is killed as a whole after its
// leader has ended. Until the leader is waited for, its process ID is not reused.
func grouped(cmd *exec.Cmd, release func()) *job {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	kill := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) } // it may have ended already
	return &job{
		cmd: cmd, start: cmd.Start, kill: kill, release: release, status: exitStatus,
		reap: func() string {
			awaitEnd(cmd.Process.Pid)
			kill()
			return ""
		},
	}
}

// exitStatus returns the exit code or signal of the process itself.
func exitStatus(state *os.ProcessState) (exit int, signal string) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return state.ExitCode(), ""
}

// awaitEnd waits until a child has ended, without reaping it.
func awaitEnd(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
