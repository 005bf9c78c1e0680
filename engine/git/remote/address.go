package remote

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// ErrNoRemote is returned if no remote has the given name.
var ErrNoRemote = errors.New("no such remote")

// address is the push address of a remote.
type address struct {
	repo   *gitstore.Repo
	remote string
	url    string
}

// scpLike matches host:path, which means ssh.
var scpLike = regexp.MustCompile(`^[^/\\]+:`)

// addressOf asks git, which applies insteadOf, pushInsteadOf and pushurl.
func addressOf(ctx context.Context, r *gitstore.Repo, remote string) (address, error) {
	if remote == "" || strings.HasPrefix(remote, "-") || gitstore.CheckRefName("refs/remotes/"+remote) != nil {
		return address{}, fmt.Errorf("%q is not a valid name of a remote: %w", remote, ErrNoRemote)
	}
	out, err := r.Git(ctx, "", "remote", "get-url", "--push", "--all", remote)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return address{}, fmt.Errorf("%s: %w", remote, ErrNoRemote)
	}
	if err != nil {
		return address{}, err
	}
	urls := strings.Fields(strings.ReplaceAll(out, " ", "\x00"))
	if len(urls) != 1 {
		return address{}, fmt.Errorf("%s has %d addresses to push to; a push that must be all or nothing goes to one: name a remote for each", remote, len(urls))
	}
	return address{repo: r, remote: remote, url: strings.ReplaceAll(urls[0], "\x00", " ")}, nil
}

// Folder returns the folder of a remote that is one on this machine; empty for other addresses, and
// for a folder of the repository itself.
func Folder(ctx context.Context, r *gitstore.Repo, remote string) (string, error) {
	a, err := addressOf(ctx, r, remote)
	if err != nil {
		return "", err
	}
	path, is := a.folder()
	if !is || a.inside(path) {
		return "", nil
	}
	return path, nil
}

// inside reports whether a folder lies in the repository's own.
func (a address) inside(path string) bool {
	return within(path, a.repo.CommonDir()) || within(path, a.repo.Root())
}

// connect chooses the transport for the address: a child process for a folder of this machine,
// our own HTTP client, or the git program for all other addresses and for configuration that we
// do not implement.
func (a address) connect(ctx context.Context) (receiver, error) {
	if strings.HasPrefix(a.url, "-") || strings.ContainsRune(a.url, 0) {
		return nil, fmt.Errorf("%q is no address", a.url)
	}
	path, folder := a.folder()
	//defence:hubs-lie-outside
	if folder && a.inside(path) {
		return nil, fmt.Errorf("%s lies in this repository's own folder, and a push would run its hooks as you; move it out and update its address with git remote set-url", path)
	}
	if a.special() {
		return dialGit(ctx, a)
	}
	if folder {
		return dialFolder(ctx, a, path)
	}
	if u, err := url.Parse(a.url); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		conn, err := dialHTTP(ctx, a, u)
		if errors.Is(err, gitstore.ErrForGit) {
			return dialGit(ctx, a)
		}
		return conn, err
	}
	return dialGit(ctx, a)
}

// within reports whether a path is folder or below it, with links resolved. Programs that may
// write only to a clone could create a repository with hooks there, and name it in .git/config.
func within(path, folder string) bool {
	if folder == "" {
		return false
	}
	for _, at := range []*string{&path, &folder} {
		if real, err := filepath.EvalSymlinks(*at); err == nil {
			*at = real
		}
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// special reports whether the configuration of this remote, or of pushes, needs features that
// only git has.
func (a address) special() bool {
	for _, key := range []string{"remote." + a.remote + ".receivepack", "remote." + a.remote + ".vcs", "remote." + a.remote + ".proxy",
		"push.pushoption", "push.gpgsign"} {
		if v := a.repo.Config(key); v != "" && !strings.EqualFold(v, "false") {
			return true
		}
	}
	return false
}

// folder returns the path of an address on this machine. Relative paths start at the top of the
// worktree, as in git.
func (a address) folder() (string, bool) {
	path := a.url
	if rest, ok := strings.CutPrefix(path, "file://"); ok {
		decoded, err := url.PathUnescape(rest)
		if err != nil || !strings.HasPrefix(decoded, "/") {
			return "", false
		}
		path = decoded
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, "/")
		}
	} else if strings.Contains(path, "://") || scpLike.MatchString(path) && filepath.VolumeName(path) == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.repo.Top(), path)
	}
	return path, true
}
