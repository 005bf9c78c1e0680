//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// users is a pool of user namespaces for the sandboxes of root. Each is used by one program at
// a time, because the kernel counts per-user limits in each of them. A namespace is reused once
// all its processes have ended, because creating one copies this process.
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

// put returns an idle namespace to the pool.
func (u *users) put(f *os.File) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.free = append(u.free, f)
}

// newUsers creates a user namespace with only root and nobody. A process must be in it while it
// is opened: a bubblewrap that waits for arguments.
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
	_ = cmd.Process.Kill() // it has done its job
	_ = cmd.Wait()         // it was killed
	if err != nil {
		return nil, fmt.Errorf("opening a user namespace: %w", err)
	}
	return f, nil
}
