//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Parent is the group in which groups are created. It may be used by several goroutines.
type Parent struct {
	dir string
	api api

	mu   sync.Mutex
	left []string // groups that had a process when they should have been removed
}

// api lists the differences between the two versions of control groups.
type api struct {
	version int
	memory  []string // files of the memory limit; the first must exist
	swap    setting  // written if the file exists
	whole   setting  // written if the file exists: the kernel kills the whole group instead of one process
	events  string   // file with the number of killed processes
}

// setting is a file of a group and its value.
type setting struct{ file, value string }

// versions lists both versions, the current one first. Files and their meaning: the kernel's
// admin-guide/cgroup-v2 and admin-guide/cgroup-v1/memory.
var versions = []api{
	{version: 2, memory: []string{"memory.max"}, swap: setting{"memory.swap.max", "0"}, whole: setting{"memory.oom.group", "1"}, events: "memory.events"},
	{version: 1, memory: []string{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}, events: "memory.oom_control"},
}

// Find returns the group in which this process can create groups. The error says why there is
// none.
func Find() (*Parent, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var why []error
	for _, a := range versions {
		dir, err := a.place(string(own), string(mounts))
		if err == nil {
			err = a.usable(dir)
		}
		if err == nil {
			p := &Parent{dir: dir, api: a}
			p.sweep()
			return p, nil
		}
		why = append(why, fmt.Errorf("version %d: %w", a.version, err))
	}
	return nil, errors.Join(why...)
}

// Version returns the version of the kernel's interface: 1 or 2.
func (p *Parent) Version() int { return p.api.version }

// place returns the folder of the parent group. In version 1 it is our own group. In version 2,
// where only groups without processes can enable controllers for their children, it is the one
// above.
func (a api) place(own, mounts string) (string, error) {
	path, err := a.own(own)
	if err != nil {
		return "", err
	}
	if path == "/.." || strings.HasPrefix(path, "/../") {
		return "", fmt.Errorf("%s is outside of this namespace", path) // cgroup_namespaces(7)
	}
	if a.version == 2 {
		if path == "/" {
			return "", errors.New("this process is in the topmost group")
		}
		path = filepath.Dir(path)
	}
	for line := range strings.Lines(mounts) {
		root, point, kind, options := mount(line)
		if a.version == 2 && kind != "cgroup2" || a.version == 1 && (kind != "cgroup" || !contains(options, "memory")) {
			continue
		}
		below, err := filepath.Rel(root, path)
		if err != nil || !filepath.IsLocal(below) {
			return "", fmt.Errorf("%s is above what is mounted here", path)
		}
		return filepath.Join(point, below), nil
	}
	return "", errors.New("control groups are not mounted")
}

// own returns our own group's path from the text of /proc/self/cgroup: lines of
// id:controllers:path, in version 2 with ID 0 and without controllers.
func (a api) own(text string) (string, error) {
	for line := range strings.Lines(text) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		if a.version == 2 && id == "0" && controllers == "" || a.version == 1 && contains(controllers, "memory") {
			return path, nil
		}
	}
	return "", errors.New("this process is in no group")
}

// mount parses a line of /proc/self/mountinfo (proc(5)).
func mount(line string) (root, point, kind, options string) {
	before, after, _ := strings.Cut(line, " - ")
	if f := strings.Fields(before); len(f) >= 5 {
		root, point = f[3], f[4]
	}
	if f := strings.Fields(after); len(f) >= 3 {
		kind, options = f[0], f[2]
	}
	return root, point, kind, options
}

// contains reports whether a comma-separated list has a word.
func contains(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}

// usable checks whether groups that count memory can be created in a folder.
func (a api) usable(dir string) error {
	if err := unix.Access(dir, unix.W_OK); err != nil {
		return fmt.Errorf("%s cannot be written to: %w", dir, err)
	}
	if a.version == 1 {
		return nil
	}
	// Moving a process needs write permission in the common ancestor of its old and new group,
	// which is this one.
	if err := unix.Access(filepath.Join(dir, "cgroup.procs"), unix.W_OK); err != nil {
		return fmt.Errorf("processes of %s cannot be moved: %w", dir, err)
	}
	handed := filepath.Join(dir, "cgroup.subtree_control")
	text, err := os.ReadFile(handed)
	if err != nil {
		return err
	}
	if strings.Contains(" "+strings.TrimSpace(string(text))+" ", " memory ") {
		return nil
	}
	if err := os.WriteFile(handed, []byte("+memory"), 0); err != nil {
		return fmt.Errorf("memory is not counted below %s, and that cannot be changed: %w", dir, err)
	}
	return nil
}

// prefix starts the names of our groups; the ID of the creating process follows.
const prefix = "assent-"

// remove removes a group now or, if a process is still in it, later.
func (p *Parent) remove(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var left []string
	for _, dir := range append(p.left, dir) {
		if errors.Is(unix.Rmdir(dir), unix.EBUSY) {
			left = append(left, dir)
		}
	}
	p.left = left
}

// sweep removes groups whose creating processes have ended.
func (p *Parent) sweep() {
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return // cleanup only
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		pid, _, _ := strings.Cut(rest, "-")
		if n, err := strconv.Atoi(pid); ours && err == nil && unix.Kill(n, 0) == unix.ESRCH {
			_ = unix.Rmdir(filepath.Join(p.dir, e.Name())) // another process may have removed it
		}
	}
}
