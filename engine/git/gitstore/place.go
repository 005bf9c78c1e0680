package gitstore

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/assent-dev/assent/engine/git/gitrun"
)

// Place is the location of a repository, which is fixed while it is open.
type Place struct {
	gitDir    string // of this worktree
	commonDir string // objects, refs, configuration
	root      string // "" when bare
	logins    *logins
}

// logins holds environment variables with which git authenticates to servers.
type logins struct {
	mu  sync.Mutex
	env []string
}

// AddLogin adds variables (NAME=VALUE) to the environment of later runs of [Place.Git], which
// needs them to authenticate to servers. The environment of this process does not change.
func (p Place) AddLogin(env ...string) {
	p.logins.mu.Lock()
	defer p.logins.mu.Unlock()
	p.logins.env = append(p.logins.env, env...)
}

func (p Place) login() []string {
	p.logins.mu.Lock()
	defer p.logins.mu.Unlock()
	return slices.Clone(p.logins.env)
}

// findRoot sets the worktree if the Git folder itself was opened.
func (p *Place) findRoot(config *config) {
	switch configured, main := p.configuredRoot(config), p.gitDir == p.commonDir; {
	case configured != "":
		p.root = configured
	case main && config.bool("core.bare", false):
		p.root = ""
	case p.root != "":
	case !main:
		if dotGit, err := readLink(filepath.Join(p.gitDir, "gitdir"), ""); err == nil && linksBack(filepath.Dir(dotGit), p.gitDir) {
			p.root = filepath.Dir(dotGit)
		}
	case filepath.Base(p.gitDir) == ".git":
		p.root = filepath.Dir(p.gitDir)
	}
}

// configuredRoot returns the folder that core.worktree names, or "" if its .git does not refer
// back to this repository. A setting alone must not turn a folder into a checkout: in the
// user's home, a file of main could become a shell profile.
func (p Place) configuredRoot(config *config) string {
	root := config.get("core.worktree")
	if root == "" || p.gitDir != p.commonDir {
		return ""
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(p.gitDir, root)
	}
	//defence:worktrees-lead-back
	if !linksBack(root, p.gitDir) {
		return ""
	}
	return filepath.Clean(root)
}

// GitDir returns the Git folder of this worktree. Linked worktrees share CommonDir.
func (p Place) GitDir() string { return p.gitDir }

// CommonDir returns the Git folder with objects, refs and configuration, which linked worktrees
// share.
func (p Place) CommonDir() string { return p.commonDir }

// Root returns the folder of the worktree, "" for a bare repository.
func (p Place) Root() string { return p.root }

// Bare reports whether there is no worktree.
func (p Place) Bare() bool { return p.root == "" }

// Top returns the folder in which git runs: the worktree, or the bare repository.
func (p Place) Top() string {
	if p.root != "" {
		return p.root
	}
	return p.gitDir
}

// Git runs the git program for operations that need the user's own Git setup, such as
// credentials, ssh and addresses. It returns a *[gitrun.Refusal] while the repository's own
// configuration names a program. It returns standard output without the last newline. The error
// contains standard error, which is text of another program.
func (p Place) Git(ctx context.Context, stdin string, args ...string) (string, error) {
	out, err := gitrun.Output(ctx, gitrun.Call{Dir: p.Top(), GitDir: p.gitDir, Reach: gitrun.Online, Args: args, Env: p.login()}, stdin)
	return strings.TrimRight(string(out), "\n"), err
}

// FetchPast is Git for a fetch in a repository with refs whose objects are missing. Git leaves such
// refs out, and collects no garbage, since it would not see what only they lead to.
func (p Place) FetchPast(ctx context.Context, stdin string, args ...string) error {
	args = append([]string{"fetch", "--no-auto-gc"}, args[1:]...)
	_, err := gitrun.Output(ctx, gitrun.Call{Dir: p.Top(), GitDir: p.gitDir, Reach: gitrun.Online, Args: args, Env: append(p.login(), "GIT_REF_PARANOIA=0")}, stdin)
	return err
}

// ReceivePack prepares `git receive-pack` for a push to a folder of this machine. It uses the
// settings and hooks of that folder's repository, and none of this one.
func (p Place) ReceivePack(ctx context.Context, folder string) (*exec.Cmd, error) {
	return gitrun.ReceivePack(ctx, p.Top(), folder)
}

// tidy runs git on objects and refs, without network access.
func (p Place) tidy(args ...string) error {
	_, err := gitrun.Output(context.Background(), gitrun.Call{Dir: p.commonDir, GitDir: p.commonDir, Args: args}, "")
	return err
}
