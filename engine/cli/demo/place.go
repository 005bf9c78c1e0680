package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// lookForGit makes sure that there is a git to run.
func lookForGit() error {
	if _, err := gitrun.Program(); err != nil {
		return badInput("install Git, https://git-scm.com, and run it again",
			"the demo shows that a workspace is an ordinary repository, and runs the git program, which is not on the PATH")
	}
	return nil
}

// freshFolder makes the folder of the demo. It never touches the content of an existing one.
func freshFolder(dir string) (string, error) {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "assent-demo-")
		if err != nil {
			return "", fmt.Errorf("make a temporary folder: %w", err)
		}
		return resolved(tmp)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", badInput("name a folder that can be written: assent demo --dir DIR", "the demo's folder cannot be made: %v", err)
		}
	case err != nil:
		return "", badInput("name a new folder: assent demo --dir DIR", "the demo's folder cannot be used: %v", err)
	case len(entries) > 0:
		return "", badInput("name a new or empty folder, or leave --dir out", "%s is not empty; the demo touches nothing that is there", dir)
	}
	return resolved(dir)
}

// resolved follows links, so that git and the demo call the folder the same.
func resolved(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return "", fmt.Errorf("find the folder %s: %w", dir, err)
	}
	return abs, nil
}

// Settings of the demo's own: where keys, state and Git's configuration are.
const (
	homeDir   = "home"
	configRel = homeDir + "/gitconfig"
	// gitConfig is all the configuration that git sees. Excludes and attributes are named because
	// git otherwise looks for the user's.
	gitConfig = `[user]
	name = Demo Human
	email = human@demo.invalid
[init]
	defaultBranch = main
[core]
	excludesFile = /dev/null
	attributesFile = /dev/null
	autocrlf = false
`
)

// exported are the variables that commands of the demo see beside the visitor's,
// with $DEMO for the folder.
func exported() [][2]string {
	return [][2]string{
		{"ASSENT_HOME", "$DEMO/" + homeDir},
		{"GIT_CONFIG_GLOBAL", "$DEMO/" + configRel},
		{"GIT_CONFIG_NOSYSTEM", "1"},
		{"GIT_PAGER", "cat"},
	}
}

// surroundings is the environment that preamble sets up in a shell.
func surroundings(env []string, dir string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "ASSENT_") {
			out = append(out, kv)
		}
	}
	out = append(out, "DEMO="+dir)
	for _, kv := range exported() {
		out = append(out, kv[0]+"="+strings.ReplaceAll(kv[1], "$DEMO", dir))
	}
	return out
}

// preamble returns the lines to type before the first command. DEMO is on a line of its own, so
// that another folder is one change away.
func preamble(dir string) []string {
	lines := []string{
		"export DEMO=" + Quote(dir),
		"unset $(env | grep -Eo '^(GIT|ASSENT)_[A-Z0-9_]+')",
	}
	for _, kv := range exported() {
		value := kv[1]
		if strings.Contains(value, "$") {
			value = `"` + value + `"`
		}
		lines = append(lines, "export "+kv[0]+"="+value)
	}
	return append(lines, `mkdir -p "$DEMO" && cd "$DEMO"`)
}
