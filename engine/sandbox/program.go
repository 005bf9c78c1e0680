package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-dev/assent/engine/sandbox/runtime"
)

// A Missing error names a program that is not on this machine. Nothing was run.
type Missing struct{ Program string }

func (e *Missing) Error() string {
	return fmt.Sprintf("%s is not installed on this machine; install it, or run this where it is", e.Program)
}

// program is an interpreter or other program of this machine.
type program struct {
	path   string   // the file itself, links resolved
	folder []string // its installation outside the system's folders, or the file itself
}

// system lists the folders that every program can read: those that a distribution installs
// into.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}

// programs caches the located programs of one runner.
type programs struct {
	mu    sync.Mutex
	found map[string]program
}

// find locates a program by name. An interpreter is asked for its real location once, because
// PATH may have a link or the shim of a version manager.
func (p *programs) find(ctx context.Context, name string) (program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.found[name]; ok {
		if _, err := os.Stat(known.path); err == nil { // else it was removed meanwhile, as by an update
			return known, nil
		}
	}
	file, err := exec.LookPath(name)
	if err != nil {
		return program{}, &Missing{Program: name}
	}
	found, err := locate(ctx, name, file)
	if err != nil {
		return program{}, err
	}
	if p.found == nil {
		p.found = map[string]program{}
	}
	p.found[name] = found
	return found, nil
}

func locate(ctx context.Context, name, file string) (program, error) {
	places := []string{file}
	if rt, ok := runtime.By(name); ok && len(rt.Where) > 0 {
		said, err := ask(ctx, file, rt.Where)
		if err != nil {
			return program{}, fmt.Errorf("asking %s where it is: %w", file, err)
		}
		places = said
	}
	real, err := filepath.EvalSymlinks(places[0])
	if err != nil {
		return program{}, fmt.Errorf("looking for %s: %w", name, err)
	}
	found := program{path: real}
	for _, place := range append(shareable(places[1:]), real) {
		covered := slices.ContainsFunc(slices.Concat(system, found.folder), func(top string) bool { return isBelow(place, top) })
		if !covered {
			found.folder = append(found.folder, place)
		}
	}
	return found, nil
}

// shareable returns the folders of an interpreter that can be bound whole. If a folder has more
// than the interpreter, such as ~/.local or a home, only its libraries are returned.
func shareable(folders []string) []string {
	var out []string
	homes := privateFolders()
	for _, dir := range folders {
		if !slices.ContainsFunc(homes, func(home string) bool { return isBelow(home, dir) }) {
			out = append(out, dir)
			continue
		}
		for _, lib := range []string{"lib", "lib64"} {
			if info, err := os.Stat(filepath.Join(dir, lib)); err == nil && info.IsDir() {
				out = append(out, filepath.Join(dir, lib))
			}
		}
	}
	return out
}

// privateFolders returns the user's folders that no program may see, as configured and with links
// resolved.
func privateFolders() []string {
	var out []string
	homes := []string{os.Getenv("HOME"), os.Getenv("ASSENT_HOME")}
	if u, err := user.Current(); err == nil { // else only the environment is used
		homes = append(homes, u.HomeDir)
	}
	for _, home := range homes {
		if !filepath.IsAbs(home) {
			continue
		}
		if real, err := filepath.EvalSymlinks(home); err == nil {
			home = real
		}
		for _, dir := range []string{"", ".local/share", ".local/state", ".config", ".cache", ".ssh"} {
			out = append(out, filepath.Join(home, dir))
		}
	}
	return out
}

// ask runs an interpreter of this machine on a fixed script, and returns the lines of its
// output.
func ask(ctx context.Context, file string, args []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return !filepath.IsAbs(l) || l == "/" })
	if len(lines) == 0 {
		return nil, errors.New("it gave no path")
	}
	return lines, nil
}

// isBelow reports whether a path is top or inside it.
func isBelow(file, top string) bool { return file == top || strings.HasPrefix(file, top+"/") }
