//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// users are the user namespaces of a root's sandboxes, each for one program at a time: what
// the kernel counts for a user, it counts for each of them. One is used again when every
// process in it has ended, since making one means to copy this process as it is.
type users struct {
	bwrap string
	mu    sync.Mutex
	free  []*os.File
}

// take returns an idle user namespace.
func (u *users) take() (*os.File, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last := len(u.free) - 1; last >= 0 {
		f := u.free[last]
		u.free = u.free[:last]
		return f, nil
	}
	return newUsers(u.bwrap)
}

// back returns an idle namespace to the pool.
func (u *users) back(f *os.File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.free = append(u.free, f)
}

// newUsers makes a user namespace with root and the user to become only.
// A process has to be in it while it is opened: bubblewrap, which waits for arguments that
// never come.
func newUsers(bwrap string) (*os.File, error) {
	mapped := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: nobody, HostID: nobody, Size: 1}}
	from, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a user namespace: %w", err)
	}
	defer func() { _, _ = from.Close(), to.Close() }() // nothing was written
	cmd := &exec.Cmd{Path: bwrap, Args: []string{"bwrap", "--args", "3"}, Env: []string{}, Dir: "/", ExtraFiles: []*os.File{from}}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid: true, Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: mapped, GidMappings: mapped, GidMappingsEnableSetgroups: true,
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("making a user namespace: %w", err)
	}
	f, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", cmd.Process.Pid))
	_ = cmd.Process.Kill() // it has nothing to do
	_ = cmd.Wait()         // it was killed
	if err != nil {
		return nil, fmt.Errorf("opening a user namespace: %w", err)
	}
	return f, nil
}
