package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// git runs the git program in a worktree. It runs no hooks, no file system
// monitor and no external helpers of the repository's choice, sees objects as they
// are and not as refs/replace would have them, and takes no repository from the
// environment.
func (w Worktree) git(stdin string, args ...string) ([]byte, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	full := append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-C", w.Root}, args...)
	//defence:no-program-of-the-repository
	cmd := exec.Command(program, full...)
	cmd.Env = gitEnv()
	cmd.Stdin = strings.NewReader(stdin)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(fmt.Errorf("git %s in %s: %w", args[0], w.Root, err), firstLine(problems.String()))
	}
	return out.Bytes(), nil
}

func firstLine(s string) error {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if s == "" {
		return nil
	}
	return errors.New(s)
}

// gitEnv drops what a hook or an alias would pass on about another repository.
func gitEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH":
		default:
			env = append(env, kv)
		}
	}
	return append(env, "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0")
}
