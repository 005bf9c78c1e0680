package console

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

// Git runs the git program in dir and returns its output. It uses no network.
func Git(ctx context.Context, dir string, args ...string) (string, error) {
	return GitCall(ctx, gitrun.Call{Dir: dir, Args: args})
}

// GitCall is Git with an environment or input of its own.
func GitCall(ctx context.Context, call gitrun.Call) (string, error) {
	out, err := gitrun.Output(ctx, call, "")
	return strings.TrimRight(string(out), "\n"), err
}

// GitShown runs git for commands that take a while: a person sees its progress.
func GitShown(ctx context.Context, c *Console, call gitrun.Call) error {
	if c.JSON {
		_, err := GitCall(ctx, call)
		return err
	}
	cmd, err := gitrun.Command(ctx, call)
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.World.Err, c.World.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %s: %w", call.Args[0], err)
	}
	return nil
}

// JournalRefs is how journals are fetched: without a leading '+', so that a fetch
// never replaces a journal that holds more here than there.
const JournalRefs = "refs/assent/*:refs/assent/*"

// FollowJournals makes `git fetch` bring the journals of origin, if there is one.
// Pruning is switched off for it: it would delete the journals that were not
// pushed yet.
func FollowJournals(ctx context.Context, repo *gitstore.Repo) error {
	if repo.Config("remote.origin.url") == "" {
		return nil
	}
	there, err := FetchesJournals(ctx, repo)
	if err != nil || there {
		return err
	}
	if _, err := Git(ctx, repo.CommonDir(), "config", "--add", "remote.origin.fetch", JournalRefs); err != nil {
		return err
	}
	_, err = Git(ctx, repo.CommonDir(), "config", "remote.origin.prune", "false")
	return err
}

// FetchesJournals reports whether fetching from origin brings the journals.
func FetchesJournals(ctx context.Context, repo *gitstore.Repo) (bool, error) {
	lines, err := Git(ctx, repo.CommonDir(), "config", "--get-all", "remote.origin.fetch")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // git's answer for "not set"
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.TrimPrefix(line, "+") == JournalRefs {
			return true, nil
		}
	}
	return false, nil
}
