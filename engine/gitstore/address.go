package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// ErrNoRemote is returned for a name that no remote has here.
var ErrNoRemote = errors.New("no such remote")

// pushAddress is where pushes to a remote go.
type pushAddress struct {
	repo   *Repo
	remote string
	url    string
}

// scpLike is host:path, which means ssh.
var scpLike = regexp.MustCompile(`^[^/\\]+:`)

// pushAddress asks git, which knows about insteadOf, pushInsteadOf and pushurl.
func (r *Repo) pushAddress(ctx context.Context, remote string) (pushAddress, error) {
	if remote == "" || strings.HasPrefix(remote, "-") || CheckRefName("refs/remotes/"+remote) != nil {
		return pushAddress{}, fmt.Errorf("%q is no name of a remote: %w", remote, ErrNoRemote)
	}
	out, err := r.program(ctx, "", "remote", "get-url", "--push", "--all", remote)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 2 {
		return pushAddress{}, fmt.Errorf("%s: %w", remote, ErrNoRemote)
	}
	if err != nil {
		return pushAddress{}, err
	}
	urls := strings.Fields(strings.ReplaceAll(out, " ", "\x00"))
	if len(urls) != 1 {
		return pushAddress{}, fmt.Errorf("%s has %d addresses to push to; a push that must be all or nothing goes to one: name a remote for each", remote, len(urls))
	}
	return pushAddress{repo: r, remote: remote, url: strings.ReplaceAll(urls[0], "\x00", " ")}, nil
}

// connect chooses how the address is talked to: a child process for a folder of
// this machine, our own HTTP client, or the git program for everything else and
// wherever the user's configuration asks for more than we do.
func (a pushAddress) connect(ctx context.Context) (receiver, error) {
	if strings.HasPrefix(a.url, "-") || strings.ContainsRune(a.url, 0) {
		return nil, fmt.Errorf("%q is no address", a.url)
	}
	if a.special() {
		return dialGit(ctx, a)
	}
	if path, ok := a.folder(); ok {
		return dialFolder(ctx, a, path)
	}
	if u, err := url.Parse(a.url); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		conn, err := dialHTTP(ctx, a, u)
		if errors.Is(err, errForGit) {
			return dialGit(ctx, a)
		}
		return conn, err
	}
	return dialGit(ctx, a)
}

// special reports that the configuration of this remote or of pushes asks for
// something that only git does.
func (a pushAddress) special() bool {
	for _, key := range []string{"remote." + a.remote + ".receivepack", "remote." + a.remote + ".vcs", "remote." + a.remote + ".proxy",
		"push.pushoption", "push.gpgsign"} {
		if v := a.repo.Config(key); v != "" && !strings.EqualFold(v, "false") {
			return true
		}
	}
	return false
}

// folder returns the path of an address on this machine. Relative ones begin where
// git would begin: at the top of the worktree.
func (a pushAddress) folder() (string, bool) {
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
		path = filepath.Join(a.repo.top(), path)
	}
	return path, true
}

// top is where the git program runs: the worktree, or the bare repository.
func (r *Repo) top() string {
	if r.root != "" {
		return r.root
	}
	return r.gitDir
}

// transports are those that the git program may use for us: none that names a
// program to run.
const transports = "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"

// patience is how long a cancelled child may take to end.
const patience = 5 * time.Second

// program runs the git program here for what only the user's own Git knows, such
// as credentials, ssh and addresses. No hook of this repository is run. It returns
// standard output without its last newline.
func (r *Repo) program(ctx context.Context, stdin string, args ...string) (string, error) {
	var out, problems bytes.Buffer
	full := append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)
	cmd, err := r.child(ctx, full...)
	if err != nil {
		return "", err
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", transports)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problems
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return out.String(), fmt.Errorf("git %s: %w", args[0], errors.Join(err, errorText(problems.String())))
	}
	return strings.TrimRight(out.String(), "\n"), nil
}

// child prepares the git program with nothing of another repository in its
// environment.
func (r *Repo) child(ctx context.Context, args ...string) (*exec.Cmd, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	cmd := exec.CommandContext(ctx, git, args...)
	cmd.Dir, cmd.WaitDelay = r.top(), patience
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
			"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_PROTOCOL"}, name)
	})
	return cmd, nil
}

// errorText is what a program said on standard error, bounded.
func errorText(s string) error {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	if len(s) > maxWords {
		s = s[:maxWords] + "…"
	}
	return errors.New(s)
}
