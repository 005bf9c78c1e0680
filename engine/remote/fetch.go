package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/assent-dev/assent/engine/gitstore"
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
// that the remote has no more. It moves no ref that anything here is read from.
func Fetch(ctx context.Context, r *gitstore.Repo, name string) error {
	if _, err := addressOf(ctx, r, name); err != nil {
		return err
	}
	follow := func(ref string) string { return "+" + ref + ":" + Tracking(name, ref) }
	_, err := r.Git(ctx, "", "fetch", "--quiet", "--refmap=", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", "--",
		name, follow("refs/heads/main"), "+refs/heads/main:refs/remotes/"+name+"/main",
		follow("refs/heads/proposal/*"), follow("refs/assent/*"))
	var exit *exec.ExitError
	if errors.As(err, &exit) && strings.Contains(err.Error(), "couldn't find remote ref refs/heads/main") {
		return fmt.Errorf("%s: %w", name, ErrNoRemoteMain)
	}
	return err
}
