package script

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/base/tempdir"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/gate/policy"
	"github.com/assent-dev/assent/engine/sandbox"
)

// The bounds of the files that a script sees. Beyond them, files: has to select some.
const (
	maxFiles = 20_000
	maxBytes = 256 << 20
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// EventFile is the file inside that holds the event of the run as JSON.
const (
	eventFile = ".event.json"
	EventFile = sandbox.Code + "/" + eventFile
)

// lay writes the files of a tree that match a pattern, or all without patterns, into a folder
// that no other user can enter, with the event unless that is empty. remove is never nil. Links and
// submodules are left out: a script sees files. left names other files that are left out, and why.
func lay(v tree.View, patterns []string, event []byte, given ...Given) (dir string, left []string, remove func(), err error) {
	remove = func() {}
	top, err := tempdir.Make("tree")
	if err != nil {
		return "", nil, remove, fmt.Errorf("make a folder for a script: %w", err)
	}
	remove = func() { _ = os.RemoveAll(top) } // a copy; nothing is lost
	dir = filepath.Join(top, "tree")
	if err := folderFor(dir); err != nil {
		return "", nil, remove, fmt.Errorf("make a folder for a script: %w", err)
	}
	l := laying{view: v, dir: dir, patterns: patterns, made: map[string]bool{".": true}}
	err = l.all(given)
	if err == nil && len(event) > 0 {
		err = written(filepath.Join(dir, eventFile), event, 0o444)
	}
	if err != nil {
		var refused *Refused
		if errors.As(err, &refused) {
			return "", nil, remove, refused
		}
		return "", nil, remove, fmt.Errorf("lay down the files of a script: %w", err)
	}
	return dir, l.left, remove, nil
}

// all writes the files of the tree, and the artifacts of needed jobs in a folder of their own, which
// takes the place of one in the tree.
func (l *laying) all(given []Given) error {
	l.below = len(given) > 0
	if err := tree.Files(governed{l.view}, "", l.file); err != nil {
		return err
	}
	if err := l.others(); err != nil {
		return err
	}
	l.below, l.patterns = false, nil
	for _, g := range given {
		l.view, l.under = g.View, givenFolder+"/"+g.Job+"/"
		if err := l.folder(filepath.Dir(l.under + "x")); err != nil {
			return err
		}
		if err := tree.Files(g.View, "", l.file); err != nil {
			return err
		}
	}
	return nil
}

type laying struct {
	view     tree.View
	dir      string
	under    string // before each path
	below    bool   // leaves out the folder of artifacts
	patterns []string
	made     map[string]bool
	files    int
	bytes    int64
	// full is set once a bound is reached, left lists what is left out.
	full bool
	left []string
}

// wants reports whether an entry is a file that the script asks for.
func (l *laying) wants(e tree.Entry) bool {
	if !e.Mode.IsFile() || strings.HasPrefix(l.under+e.Path+"/", eventFile+"/") || l.below && strings.HasPrefix(e.Path+"/", givenFolder+"/") {
		return false
	}
	return len(l.patterns) == 0 || slices.ContainsFunc(l.patterns, func(p string) bool { return policy.MatchPath(p, e.Path) })
}

func (l *laying) file(e tree.Entry) error {
	if !l.wants(e) {
		return nil
	}
	if !filepath.IsLocal(e.Path) || strings.ContainsAny(e.Path, "\x00\\") {
		return &Refused{fmt.Sprintf("%q is no path that can be laid down", e.Path)}
	}
	data, err := l.view.Read(e.Path)
	if err != nil {
		return err
	}
	l.files++
	if l.bytes += int64(len(data)); l.files > maxFiles || l.bytes > maxBytes {
		l.full = true
		return &Refused{fmt.Sprintf("it would see more than %d files or %d MiB: name those that it needs with files:", maxFiles, maxBytes>>20)}
	}
	if err := l.folder(filepath.Dir(l.under + e.Path)); err != nil {
		return err
	}
	mode := os.FileMode(0o444)
	if e.Mode == tree.Executable {
		mode = 0o555
	}
	return written(filepath.Join(l.dir, l.under+e.Path), data, mode)
}

// written writes a file with a mode, whatever the umask is.
func written(file string, data []byte, mode os.FileMode) error {
	if err := os.WriteFile(file, data, mode); err != nil {
		return err
	}
	return os.Chmod(file, mode)
}

func (l *laying) folder(dir string) error {
	if l.made[dir] {
		return nil
	}
	if err := l.folder(filepath.Dir(dir)); err != nil {
		return err
	}
	l.made[dir] = true
	return folderFor(filepath.Join(l.dir, dir))
}

// folderFor makes a folder that the user inside the sandbox, who is another one, can enter, whatever the umask is.
func folderFor(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755) //nolint:gosec // the folder above is closed to others
}
