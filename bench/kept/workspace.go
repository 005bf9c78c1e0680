package kept

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/assent-dev/assent/bench/generate"
	"github.com/assent-dev/assent/engine/git/gitstore"
	"github.com/assent-dev/assent/engine/home/keys"
)

// Workspace is one of them, or a copy: the repository, packed, and the user's
// folder that belongs to it.
type Workspace struct {
	Spec
	Repo, Home string
}

// Enter makes the surroundings of this process, and of those that it starts, the
// ones that belong to the workspace, whose human's key signs without a terminal.
func (w Workspace) Enter() error {
	set := map[string]string{
		"ASSENT_HOME": w.Home, "ASSENT_KEY": filepath.Join(w.Home, "keys", generate.Human),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
	}
	var problems []error
	for name, value := range set {
		problems = append(problems, os.Setenv(name, value))
	}
	return errors.Join(append(problems, keys.SetUnattended(true))...)
}

// Git runs git in the repository and returns its output.
func (w Workspace) Git(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin = w.Repo, strings.NewReader(stdin)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Open opens the repository anew, as a new process would.
func (w Workspace) Open() (*gitstore.Repo, error) { return gitstore.Open(w.Repo) }
