package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Lost is the age after which the folder of an ended process is removed.
const Lost = 3 * time.Hour

// kinds are the folders of the engine, by what is in them.
func kinds() []string { return []string{"checkout", "foreign", "init", "run", "task", "tree"} }

// Make makes a folder that no other user can enter, and removes lost ones. kind is one of kinds. The caller
// removes the folder.
func Make(kind string) (string, error) {
	sweep(os.TempDir(), time.Now())
	return os.MkdirTemp("", "assent-"+kind+"-"+strconv.Itoa(os.Getpid())+"-")
}

// sweep removes the folders of ended processes. Those of other users cannot be removed, and stay.
func sweep(temp string, now time.Time) {
	all, _ := os.ReadDir(temp) // what cannot be listed is swept another time
	for _, e := range all {
		pid := maker(e.Name())
		if pid == 0 || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > Lost && ended(pid) {
			_ = os.RemoveAll(filepath.Join(temp, e.Name()))
		}
	}
}

// maker returns the process that made a folder: assent-KIND-PROCESS-RANDOM. It is 0 for other names.
func maker(name string) int {
	parts := strings.Split(name, "-")
	if len(parts) != 4 || parts[0] != "assent" || !slices.Contains(kinds(), parts[1]) {
		return 0
	}
	pid, err := strconv.Atoi(parts[2])
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// ended reports whether no process has this number.
func ended(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
