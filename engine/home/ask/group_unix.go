//go:build unix

package ask

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
)

// guarding ends its process group when its standard input ends: as soon as this process is gone, however it ended.
const guarding = "trap '' HUP INT TERM; read x; kill -9 0"

// Group gives a command a process group of its own, so that it can be ended with its children, and an
// interrupt of the terminal reaches assent first. A guard leads the group, and ends it if assent is killed;
// end ends all that is left in it.
func Group(cmd *exec.Cmd) (end func(), err error) {
	guard := Shell(context.Background(), guarding)
	guard.Dir, guard.Env, guard.SysProcAttr = "/", []string{}, &syscall.SysProcAttr{Setpgid: true}
	_, err = guard.StdinPipe() // Wait closes it
	if err == nil {
		err = guard.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the guard of a command: %w", err)
	}
	leader := guard.Process.Pid
	kill := func() error { return syscall.Kill(-leader, syscall.SIGKILL) }
	cmd.SysProcAttr, cmd.Cancel = &syscall.SysProcAttr{Setpgid: true, Pgid: leader}, kill
	return func() {
		_ = kill() // before Wait, so that the group's number is still its own
		_ = guard.Wait()
	}, nil
}
