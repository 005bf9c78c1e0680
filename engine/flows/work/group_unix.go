//go:build unix

package work

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/assent-dev/assent/engine/home/ask"
)

// guarding ends its process group when its standard input ends: as soon as this process is gone, however it ended.
const guarding = "trap '' HUP INT TERM; read x; kill -9 0"

// group gives a command a process group of its own, so that it can be ended with its children, and an
// interrupt of the terminal reaches assent first. A guard leads the group, and ends it if assent is killed;
// release ends the guard alone.
func group(cmd *exec.Cmd) (release func(), err error) {
	guard := ask.Shell(context.Background(), guarding)
	guard.Dir, guard.Env, guard.SysProcAttr = "/", []string{}, &syscall.SysProcAttr{Setpgid: true}
	_, err = guard.StdinPipe() // Wait closes it
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the guard of a command: %w", err)
	}
	leader := guard.Process.Pid
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: leader}
	cmd.Cancel = func() error { return syscall.Kill(-leader, syscall.SIGKILL) }
	return func() {
		_ = guard.Process.Kill()
		_ = guard.Wait()
	}, nil
}
