//go:build !unix

package stress_test

import (
	"os"
	"os/exec"
)

// inherit does nothing: files cannot be handed on here.
func inherit(*exec.Cmd, *os.File) {}

// kill ends the process; there are no groups.
func kill(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() }
