package gitstore

import (
	"context"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// Git runs the git program here for what only the user's own Git knows, such as
// credentials, ssh and addresses. It is a *[gitrun.Refusal] while the repository's own
// configuration names a program. It returns standard output without its last newline;
// the error holds standard error, which comes from elsewhere.
func (r *Repo) Git(ctx context.Context, stdin string, args ...string) (string, error) {
	out, err := gitrun.Output(ctx, gitrun.Call{Dir: r.Top(), GitDir: r.gitDir, Reach: gitrun.Online, Args: args}, stdin)
	return strings.TrimRight(string(out), "\n"), err
}

// ReceivePack prepares `git receive-pack` for a push to a folder of this machine. It runs
// with the settings and the hooks of that folder's repository, and none of this one.
func (r *Repo) ReceivePack(ctx context.Context, folder string) (*exec.Cmd, error) {
	return gitrun.ReceivePack(ctx, r.Top(), folder)
}

// tidy runs git on objects and refs, which talks to nobody.
func (r *Repo) tidy(args ...string) error {
	_, err := gitrun.Output(context.Background(), gitrun.Call{Dir: r.commonDir, GitDir: r.commonDir, Args: args}, "")
	return err
}

// Top is where the git program runs: the worktree, or the bare repository.
func (r *Repo) Top() string {
	if r.root != "" {
		return r.root
	}
	return r.gitDir
}
