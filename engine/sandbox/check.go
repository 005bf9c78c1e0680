package sandbox

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/sandbox/egress"
	"github.com/assent-dev/assent/engine/sandbox/redact"
)

// Bounds of a Spec. A Spec beyond them is a bug of the caller.
const (
	maxFiles = 400
	// maxFolders bounds the folders of the files: bubblewrap accepts 9000 arguments; a file
	// takes 5, a folder 4, and everything else some hundreds.
	maxFolders = 1000
	maxBytes   = 64 << 20
	maxText    = 64 << 10 // of a variable's value
	// MaxArgument is the longest argument that Linux accepts (MAX_ARG_STRLEN).
	MaxArgument = 128<<10 - 1
)

// check returns the Spec with defaults filled in, or an error.
func (s Spec) check() (Spec, error) {
	s.Limits = s.Limits.orDefault()
	for _, fault := range []string{s.args(), s.files(), s.environment(), s.places()} {
		if fault != "" {
			return s, &SpecError{Reason: fault}
		}
	}
	return s, nil
}

func (s Spec) args() string {
	if len(s.Args) == 0 || s.Args[0] == "" {
		return "there is no program to run"
	}
	for _, arg := range s.Args {
		if strings.ContainsRune(arg, 0) {
			return "an argument contains a NUL byte"
		}
		if len(arg) > MaxArgument {
			return fmt.Sprintf("an argument is longer than %d bytes; give it on standard input or as a file", MaxArgument)
		}
	}
	return ""
}

func (s Spec) files() string {
	if len(s.Files) > maxFiles {
		return fmt.Sprintf("%d files are more than %d", len(s.Files), maxFiles)
	}
	size, folders := 0, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		size += len(s.Files[name].Data)
		if !isInside(name) {
			return fmt.Sprintf("%q is no path inside a folder", name)
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
			if _, also := s.Files[dir]; also {
				return fmt.Sprintf("%q is a file and a folder", dir)
			}
		}
	}
	if len(folders) > maxFolders {
		return fmt.Sprintf("the files are in %d folders, which are more than %d", len(folders), maxFolders)
	}
	if size > maxBytes {
		return fmt.Sprintf("the files have more than %d bytes", maxBytes)
	}
	return ""
}

// isInside reports whether a path names something below a folder.
func isInside(name string) bool {
	return name != "." && filepath.IsLocal(name) && path.Clean(name) == name && !strings.ContainsAny(name, "\x00\\")
}

func (s Spec) environment() string {
	for _, vars := range []map[string]string{s.Env, s.Secrets} {
		for _, name := range slices.Sorted(maps.Keys(vars)) {
			switch {
			case !isVariable(name):
				return fmt.Sprintf("%q is no name of an environment variable", name)
			case strings.ContainsRune(vars[name], 0) || len(vars[name]) > maxText:
				return fmt.Sprintf("the value of %s has a NUL byte or is longer than %d bytes", name, maxText)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Secrets)) {
		if _, both := s.Env[name]; both {
			return name + " is a secret and an ordinary variable"
		}
		if len(strings.TrimSpace(s.Secrets[name])) < redact.Shortest {
			return fmt.Sprintf("the secret %s is shorter than %d bytes and could not be kept out of the output", name, redact.Shortest)
		}
	}
	return ""
}

// isVariable reports whether name is a POSIX variable name.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func (s Spec) places() string {
	if s.Dir != "" && s.Dir != Code && (s.Dir != Scratch || !s.Write) {
		return fmt.Sprintf("%q is no folder to start in: it is %s, or %s if that may be written to", s.Dir, Code, Scratch)
	}
	if s.Folder != "" && (len(s.Files) > 0 || !isAbsolute(s.Folder)) {
		return fmt.Sprintf("%q is no absolute path of a folder, or there are files beside it", s.Folder)
	}
	for _, host := range s.Hosts {
		if _, err := egress.ParseHost(host); err != nil {
			return err.Error()
		}
	}
	for _, dir := range s.Readable {
		if !isAbsolute(dir) {
			return fmt.Sprintf("%q is no absolute path of a folder", dir)
		}
	}
	return ""
}

func isAbsolute(dir string) bool {
	return filepath.IsAbs(dir) && filepath.Clean(dir) == dir && dir != "/"
}
