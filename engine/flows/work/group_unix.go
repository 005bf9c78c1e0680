//go:build unix

package work

import (
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own, so that it can be ended with its children, and
// an interrupt of the terminal reaches assent first.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
