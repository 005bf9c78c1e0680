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

// Place is the place of a repository, which does not change while it is open.
type Place struct {
	gitDir    string // of this worktree
	commonDir string // objects, refs, configuration
	root      string // "" when bare
	logins    *logins
}

// logins are variables by which git logs in to other servers.
type logins struct {
	mu  sync.Mutex
	env []string
}

// AddLogin adds variables (NAME=VALUE) to later runs of [Place.Git], which need them to log in
// to other servers. The environment of this process does not change.
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

// configuredRoot is the folder that core.worktree names, "" if its .git does not lead back here. A setting alone
// must not make any folder a checkout: in the user's home, a file of main could become a profile.
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

// GitDir is the Git folder of this worktree, CommonDir the one that it shares
// with its linked worktrees: objects, refs, configuration.
func (p Place) GitDir() string { return p.gitDir }

// CommonDir is the Git folder that linked worktrees share: see GitDir.
func (p Place) CommonDir() string { return p.commonDir }

// Root is the folder of the worktree, "" in a bare repository.
func (p Place) Root() string { return p.root }

// Bare reports whether there is no worktree.
func (p Place) Bare() bool { return p.root == "" }

// Top is where the git program runs: the worktree, or the bare repository.
func (p Place) Top() string {
	if p.root != "" {
		return p.root
	}
	return p.gitDir
}

// Git runs the git program here for what only the user's own Git knows, such as
// credentials, ssh and addresses. It is a *[gitrun.Refusal] while the repository's own
// configuration names a program. It returns standard output without its last newline;
// the error holds standard error, which is another program's text.
func (p Place) Git(ctx context.Context, stdin string, args ...string) (string, error) {
	out, err := gitrun.Output(ctx, gitrun.Call{Dir: p.Top(), GitDir: p.gitDir, Reach: gitrun.Online, Args: args, Env: p.login()}, stdin)
	return strings.TrimRight(string(out), "\n"), err
}

// ReceivePack prepares `git receive-pack` for a push to a folder of this machine. It runs
// with the settings and the hooks of that folder's repository, and none of this one.
func (p Place) ReceivePack(ctx context.Context, folder string) (*exec.Cmd, error) {
	return gitrun.ReceivePack(ctx, p.Top(), folder)
}

// tidy runs git on objects and refs, without a network.
func (p Place) tidy(args ...string) error {
	_, err := gitrun.Output(context.Background(), gitrun.Call{Dir: p.commonDir, GitDir: p.commonDir, Args: args}, "")
	return err
}
