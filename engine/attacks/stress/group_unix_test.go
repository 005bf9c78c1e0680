//go:build unix

package stress_test

import (
	"os"
	"os/exec"
	"syscall"
)

// inherit gives the process a group of its own, and the file to it and its children.
func inherit(cmd *exec.Cmd, f *os.File) {
	cmd.ExtraFiles = []*os.File{f}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// kill ends a process with SIGKILL, and its children if family is set.
func kill(cmd *exec.Cmd, family bool) {
	if family {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended by itself
		return
	}
	_ = cmd.Process.Kill()
}
