package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// transports returns those that the git program may use for us, as Git's variable
// GIT_ALLOW_PROTOCOL: none that names a program to run, and none that the user's
// own variable does not allow.
func transports() string {
	ours := []string{"file", "git", "http", "https", "ssh"}
	if theirs, set := os.LookupEnv("GIT_ALLOW_PROTOCOL"); set {
		allowed := strings.Split(theirs, ":")
		ours = slices.DeleteFunc(ours, func(p string) bool { return !slices.Contains(allowed, p) })
	}
	return "GIT_ALLOW_PROTOCOL=" + strings.Join(ours, ":")
}

// patience is how long a cancelled child may take to end.
const patience = 5 * time.Second

// maxProblems bounds what is kept of a child's standard error, in bytes.
const maxProblems = 16 << 10

// Git runs the git program here for what only the user's own Git knows, such as
// credentials, ssh and addresses. No hook of this repository is run. It returns
// standard output without its last newline; the error holds standard error, which
// comes from elsewhere.
func (r *Repo) Git(ctx context.Context, stdin string, args ...string) (string, error) {
	var out, problems bytes.Buffer
	full := append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)
	cmd, err := r.GitCommand(ctx, full...)
	if err != nil {
		return "", err
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", transports())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return out.String(), fmt.Errorf("git %s: %w", args[0], errors.Join(err, Problems(problems.String())))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// GitCommand prepares the git program, at the top of the worktree or in the bare
// repository, with nothing of another repository in its environment.
func (r *Repo) GitCommand(ctx context.Context, args ...string) (*exec.Cmd, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Dir, cmd.WaitDelay = r.Top(), patience
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_PROTOCOL"}, name)
	})
	return cmd, nil
}

// Top is where the git program runs: the worktree, or the bare repository.
func (r *Repo) Top() string {
	if r.root != "" {
		return r.root
	}
	return r.gitDir
}

// Problems makes an error of what a program said on standard error, bounded; nil
// when it said nothing.
func Problems(s string) error {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	if len(s) > maxProblems {
		s = s[:maxProblems] + "…"
	}
	return errors.New(s)
}
