package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/assent-dev/assent/engine/gitstore"
)

// gitOptions keep the git program from running what a repository or a template
// brings along, and from transports that run programs.
var gitOptions = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}

// transports are those that clone and fetch may use.
const transports = "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"

// git runs the git program in dir and returns what it prints. It is needed for
// what only the user's own Git knows: credentials, ssh, proxies, configuration.
func (c *console) git(ctx context.Context, dir string, args ...string) (string, error) {
	var out, problems bytes.Buffer
	cmd, err := c.gitCommand(ctx, dir, args...)
	if err != nil {
		return "", err
	}
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("git %s: %w", args[0], err), errors.New(strings.TrimSpace(problems.String())))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// gitShown is git for commands that take a while: a person sees its progress.
func (c *console) gitShown(ctx context.Context, dir string, args ...string) error {
	if c.json {
		_, err := c.git(ctx, dir, args...)
		return err
	}
	cmd, err := c.gitCommand(ctx, dir, args...)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.world.Err, c.world.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}

func (c *console) gitCommand(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", gitstore.ErrNoGit, err)
	}
	cmd := exec.CommandContext(ctx, program, append(gitOptions[:len(gitOptions):len(gitOptions)], args...)...)
	cmd.Dir, cmd.Env = dir, append(ownEnvironment(), transports, "GIT_NO_REPLACE_OBJECTS=1")
	return cmd, nil
}

// ownEnvironment drops what a hook or an alias would pass on about another
// repository.
func ownEnvironment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX",
			"GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}, name)
	})
}

// journalRefs is how journals are fetched: without a leading '+', so that a fetch
// never replaces a journal that holds more here than there.
const journalRefs = "refs/assent/*:refs/assent/*"

// followJournals makes `git fetch` bring the journals of origin, if there is one.
// Pruning is switched off for it: it would delete the journals that were not
// pushed yet.
func (c *console) followJournals(ctx context.Context, repo *gitstore.Repo) error {
	if repo.Config("remote.origin.url") == "" {
		return nil
	}
	there, err := c.fetchesJournals(ctx, repo)
	if err != nil || there {
		return err
	}
	if _, err := c.git(ctx, repo.CommonDir(), "config", "--add", "remote.origin.fetch", journalRefs); err != nil {
		return err
	}
	_, err = c.git(ctx, repo.CommonDir(), "config", "remote.origin.prune", "false")
	return err
}

// fetchesJournals reports whether fetching from origin brings the journals.
func (c *console) fetchesJournals(ctx context.Context, repo *gitstore.Repo) (bool, error) {
	lines, err := c.git(ctx, repo.CommonDir(), "config", "--get-all", "remote.origin.fetch")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // git's answer for "not set"
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.TrimPrefix(line, "+") == journalRefs {
			return true, nil
		}
	}
	return false, nil
}
