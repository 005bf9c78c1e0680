//go:build amd64 || arm64

package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-dev/assent/engine/sandbox/stage"
)

// nobody is the user and group ID of a program inside.
const nobody = 65534

// plan collects the command line of bubblewrap.
type plan struct {
	args    []string
	fds     []*os.File // from descriptor 3 on
	users   *os.File   // the user namespace among fds, if it is one of ours
	close   func()     // closes everything else that is open or running
	created []string   // folders created
	bound   []string   // folders of this machine
}

func (p *plan) add(args ...string) { p.args = append(p.args, args...) }

// addFile passes a file to bubblewrap and returns its descriptor there.
func (p *plan) addFile(f *os.File) string {
	p.fds = append(p.fds, f)
	return strconv.Itoa(2 + len(p.fds))
}

// onClose adds f to the cleanup of close.
func (p *plan) onClose(f func()) {
	before := p.close
	p.close = func() { f(); before() }
}

// addText passes bytes as an in-memory file.
func (p *plan) addText(name string, data []byte) (fd string, err error) {
	f, err := inMemory(name, data)
	if err != nil {
		return "", err
	}
	return p.addFile(f), nil
}

// closeFiles closes the files that the child process has inherited.
func (p *plan) closeFiles() {
	for _, f := range p.fds {
		if f != p.users {
			_ = f.Close() // in memory, or a pipe's end
		}
	}
	p.fds = nil
}

// release releases all resources except a user namespace that was not returned to the pool, in
// which a process may still be running.
func (p *plan) release() {
	p.closeFiles()
	p.close()
	if p.users != nil {
		_ = p.users.Close() // nothing was written to it
	}
}

func inMemory(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(data); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("filling a file in memory: %w", err)
	}
	return f, nil
}

// prepare builds the command for a checked Spec. With late, it waits for the last argument.
func (m machine) prepare(spec Spec, found program, late bool) (*job, error) {
	p := &plan{close: func() {}}
	j, err := m.assemble(p, spec, found, late)
	if err != nil {
		p.release()
		return nil, err
	}
	return j, nil
}

func (m machine) assemble(p *plan, spec Spec, found program, late bool) (*job, error) {
	report, inside, err := reportChannel()
	if err != nil {
		return nil, err
	}
	p.onClose(report.close)
	p.addFile(inside) // stage.Report, as it is the first
	if err := m.namespaces(p); err != nil {
		return nil, err
	}
	p.bindReadable(slices.Concat(found.folder, spec.Readable), len(spec.Hosts) > 0)
	if err := p.addSystem(); err != nil {
		return nil, err
	}
	p.addWritable(spec)
	if err := p.addCode(spec.Folder, spec.Files); err != nil {
		return nil, err
	}
	order := m.order(spec, found, p.bound)
	order.Late = late
	if len(spec.Hosts) > 0 {
		if err := p.network(spec.Hosts, &order); err != nil {
			return nil, err
		}
	}
	last, err := order.Program()
	if err != nil {
		return nil, err
	}
	lastFD, err := p.addText("stage", last.ELF)
	if err != nil {
		return nil, err
	}
	// It contains the program's environment, so it is executable but not readable.
	p.add("--perms", "0111", "--file", lastFD, stage.Path)
	p.add("--remount-ro", "/", "--chdir", cmp.Or(spec.Dir, Code))
	all, err := p.addText("args", []byte(strings.Join(p.args, "\x00")+"\x00"))
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: m.bwrap, Args: []string{"bwrap", "--args", all, "--", stage.Path}, Env: []string{}, Dir: "/", ExtraFiles: p.fds}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's interrupt must not reach it
	j := m.job(cmd, p, report, last)
	j.proceed = func(argument string) error {
		_, err := unix.Write(int(report), order.Message(argument))
		return err
	}
	if m.groups == nil {
		return j, nil
	}
	group, err := m.groups.New(spec.totalMemory())
	if err != nil {
		return nil, err
	}
	p.onClose(group.Close)
	j.start = func() error { return group.Start(cmd) }
	j.overMemory = group.Exceeded
	return j, nil
}

// namespaces adds new namespaces. As root, bubblewrap gets a user namespace from the pool.
// Otherwise it creates one in which the user is called nobody.
func (m machine) namespaces(p *plan) (err error) {
	p.add("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
		"--hostname", "sandbox", "--new-session", "--die-with-parent")
	if m.users == nil {
		p.add("--unshare-user", "--disable-userns", "--uid", strconv.Itoa(nobody), "--gid", strconv.Itoa(nobody))
		return nil
	}
	if p.users, err = m.users.take(); err != nil {
		return err
	}
	p.add("--userns", p.addFile(p.users), "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
	return nil
}

// job returns a command that can be killed and waited for as a whole, at any moment.
//
// Bubblewrap's outer process starts the first process inside. That one waits for it, sets
// everything up, leaves the process group, forks the future stage, and only then binds its life
// to the outer process. So the whole group is killed: until it leaves, the first process is in
// it. If it has left and is not bound yet, the stage reaches its report, and the descriptor in
// that report is used to kill the first process (report.await). When the first process ends,
// the kernel kills all others inside.
func (m machine) job(cmd *exec.Cmd, p *plan, r report, last stage.Program) *job {
	kill := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) } // it may have ended already
	return &job{
		cmd:     cmd,
		start:   cmd.Start,
		started: p.closeFiles,
		kill:    kill,
		reap: func() (failed string) {
			awaitEnd(cmd.Process.Pid)
			kill()                                  // if another process killed it, the first process inside may wait for it forever
			_ = unix.Shutdown(int(r), unix.SHUT_WR) // a stage that waits for its argument goes on to its report, and ends
			failed, empty := r.await(last)
			if empty && p.users != nil {
				m.users.put(p.users)
				p.users = nil
			}
			return failed
		},
		status:  shellStatus,
		release: p.release,
	}
}

// shellStatus decodes the exit code by which bubblewrap, like a shell, reports a signal.
func shellStatus(state *os.ProcessState) (exit int, signal string) {
	code := state.ExitCode()
	if name := unix.SignalName(syscall.Signal(code - 128)); code > 128 && name != "" {
		return -1, name
	}
	return code, ""
}
