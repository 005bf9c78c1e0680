//go:build !unix

package stress_test

import (
	"os"
	"os/exec"
)

// inherit does nothing: files cannot be inherited here.
func inherit(*exec.Cmd, *os.File) {}

// kill ends the process; this system has no process groups.
func kill(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() }
