//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Group is a control group for one program.
type Group struct {
	parent *Parent
	dir    string
	api    api
}

// New creates a group whose processes may use so many bytes together.
func (p *Parent) New(memory int64) (*Group, error) {
	dir, err := os.MkdirTemp(p.dir, prefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return nil, fmt.Errorf("making a control group: %w", err)
	}
	g := &Group{parent: p, dir: dir, api: p.api}
	if err := g.bound(memory); err != nil {
		g.Close()
		return nil, fmt.Errorf("bounding a control group: %w", err)
	}
	return g, nil
}

func (g *Group) bound(memory int64) error {
	for i, name := range g.api.memory {
		if err := g.write(name, strconv.FormatInt(memory, 10)); err != nil && (i == 0 || !errors.Is(err, os.ErrNotExist)) {
			return err
		}
	}
	for _, s := range []setting{g.api.swap, g.api.whole} {
		if s.file == "" {
			continue
		}
		if err := g.write(s.file, s.value); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// write writes one of the group's files, which the kernel creates.
func (g *Group) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(g.dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Start starts a command that is in the group from its first instruction.
func (g *Group) Start(cmd *exec.Cmd) error {
	if g.api.version == 2 {
		return g.startInto(cmd)
	}
	return g.startFrom(cmd)
}

// startInto has the kernel create the process in the group.
func (g *Group) startInto(cmd *exec.Cmd) error {
	dir, err := os.Open(g.dir)
	if err != nil {
		return fmt.Errorf("opening a control group: %w", err)
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
	return errors.Join(cmd.Start(), dir.Close())
}

// startFrom starts the process from a thread in the group: in version 1 a thread can be in another
// group than its process, and a child starts in the group of its thread. The memory of this
// process stays counted in its own group. Go starts no thread from a locked one.
func (g *Group) startFrom(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // if it cannot leave the group, the thread ends with the goroutine
		started <- g.startInside(cmd)
	}()
	return <-started
}

// startInside starts the command; its goroutine must be locked to its thread.
func (g *Group) startInside(cmd *exec.Cmd) error {
	thread := strconv.Itoa(unix.Gettid())
	if err := g.write("tasks", thread); err != nil {
		return fmt.Errorf("entering a control group: %w", err)
	}
	err := cmd.Start()
	if back := os.WriteFile(filepath.Join(g.parent.dir, "tasks"), []byte(thread), 0); back == nil {
		runtime.UnlockOSThread()
	}
	return err
}

// Exceeded reports whether the kernel killed a process because the group exceeded its limit.
func (g *Group) Exceeded() bool {
	text, err := os.ReadFile(filepath.Join(g.dir, g.api.events))
	if err != nil {
		return false // the group exists; an older kernel has no counter
	}
	for line := range strings.Lines(string(text)) {
		if name, n, _ := strings.Cut(strings.TrimSpace(line), " "); name == "oom_kill" && n != "0" {
			return true
		}
	}
	return false
}

// Close removes the group. If a process is still in it, a later Close removes it, or the next
// process that calls Find.
func (g *Group) Close() { g.parent.remove(g.dir) }
