//go:build !unix

package work

import "os/exec"

func group(*exec.Cmd) {}

func kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }
