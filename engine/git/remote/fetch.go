package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// TrackingPrefix is where Fetch keeps what a remote had: below it, the remote's
// name, and below that its refs.
const TrackingPrefix = "refs/assent-remotes/"

// Tracking is the ref here that follows a ref of a remote.
func Tracking(remote, ref string) string {
	return TrackingPrefix + remote + "/" + strings.TrimPrefix(ref, "refs/")
}

// ErrNoRemoteMain is returned by Fetch when the remote has no branch main.
var ErrNoRemoteMain = errors.New("the remote has no branch main")

// Fetch lets the git program bring main, the branches of proposals and the journals
// of a remote to their tracking refs, whatever those were before, and drops those
// that the remote has no more. It moves no ref that anything here is read from. Refs that
// cannot be fetched do not hold the others back: *Partly names them.
func Fetch(ctx context.Context, r *gitstore.Repo, name string) error {
	if _, err := addressOf(ctx, r, name); err != nil {
		return err
	}
	main, others := follow(name, "refs/heads/main"), []string{"refs/heads/proposal/*", "refs/assent/*"}
	err := fetch(ctx, r, name, main, "+refs/heads/main:refs/remotes/"+name+"/main", follow(name, others[0]), follow(name, others[1]))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || ctx.Err() != nil {
		return err
	}
	if strings.Contains(err.Error(), "couldn't find remote ref refs/heads/main") {
		return fmt.Errorf("%s: %w", name, ErrNoRemoteMain)
	}
	//defence:broken-refs-stay-behind
	if !unreachable(err) {
		return fetchSound(ctx, r, name, err, main, others, func(ref string) string { return follow(name, ref) })
	}
	return err
}

// unreachable reports that the remote did not answer at all. A remote that stumbles over
// one of its objects hangs up as well, and answers the next question.
func unreachable(err error) bool { return errors.Is(err, ErrLogin) || errors.Is(err, ErrGone) }

// InboxPrefix is where pushed raw proposals wait.
const InboxPrefix = "refs/heads/inbox/"

// FetchInbox is Fetch for what waits in the inbox, which only the clone needs
// that makes proposals of it.
func FetchInbox(ctx context.Context, r *gitstore.Repo, name string) error {
	if _, err := addressOf(ctx, r, name); err != nil {
		return err
	}
	return fetch(ctx, r, name, follow(name, InboxPrefix+"*"))
}

func fetch(ctx context.Context, r *gitstore.Repo, name string, refspecs ...string) error {
	_, err := r.Git(ctx, "", append([]string{
		"fetch", "--quiet", "--refmap=", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", "--", name,
	}, refspecs...)...)
	return understood(ctx, err)
}

// follow is the refspec that brings refs to where they are tracked.
func follow(name, refs string) string { return "+" + refs + ":" + Tracking(name, refs) }
