package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitrun"
	"github.com/assent-dev/assent/engine/git/gitstore"
)

// git runs the git program in dir and returns what it prints. It talks to nobody.
func (c *console) git(ctx context.Context, dir string, args ...string) (string, error) {
	return c.gitCall(ctx, gitrun.Call{Dir: dir, Args: args})
}

func (c *console) gitCall(ctx context.Context, call gitrun.Call) (string, error) {
	out, err := gitrun.Output(ctx, call, "")
	return strings.TrimRight(string(out), "\n"), err
}

// gitShown runs git for commands that take a while: a person sees its progress.
func (c *console) gitShown(ctx context.Context, call gitrun.Call) error {
	if c.json {
		_, err := c.gitCall(ctx, call)
		return err
	}
	cmd, err := gitrun.Command(ctx, call)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.world.Err, c.world.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w", call.Args[0], err)
	}
	return nil
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
