//go:build !unix

package ask

import "os/exec"

// Group has the command alone ended. What it started lives on, and if assent is killed, the command does, too.
func Group(*exec.Cmd) (end func(), err error) { return func() {}, nil }
