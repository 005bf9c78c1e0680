package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// usersOf names a process that has a file open, or a Git program that works in the
// repository (git closes a lock's file while it holds the lock). It returns "" if there is
// none. It inspects only processes of the file's owner, because no other user can have made
// it. The error is about processes that cannot be inspected.
func usersOf(path string, repo *gitstore.Repo) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("its owner is not known")
	}
	places := placesOf(repo)
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return "", err
	}
	for _, p := range processes {
		pid, err := strconv.Atoi(p.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", p.Name())
		about, err := os.Stat(dir)
		if err != nil {
			continue // it has ended
		}
		if s, ok := about.Sys().(*syscall.Stat_t); !ok || s.Uid != owner.Uid {
			continue
		}
		uses, err := processUses(dir, info, places)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH): // it has ended
		case err != nil:
			return "", err
		case uses:
			return fmt.Sprintf("process %d (%s)", pid, programOf(dir)), nil
		}
	}
	return "", nil
}

// processUses looks at one process by its folder in /proc.
func processUses(dir string, file fs.FileInfo, places []string) (bool, error) {
	open, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false, err
	}
	for _, fd := range open {
		if target, err := os.Stat(filepath.Join(dir, "fd", fd.Name())); err == nil && os.SameFile(target, file) {
			return true, nil
		}
	}
	if name := programOf(dir); !strings.HasPrefix(name, "git") && name != "assent" {
		return false, nil
	}
	cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(places, func(place string) bool {
		return cwd == place || strings.HasPrefix(cwd, place+"/")
	}), nil
}

// placesOf are the folders in which a Git program works on the repository, as the
// system names them.
func placesOf(repo *gitstore.Repo) []string {
	var out []string
	for _, place := range []string{repo.Root(), repo.GitDir(), repo.CommonDir()} {
		if place == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		out = append(out, place)
	}
	return out
}

// programOf returns the name of a process's program, if the system shows it.
func programOf(dir string) string {
	name, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(name))
}
