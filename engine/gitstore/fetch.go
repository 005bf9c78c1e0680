package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
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
func (r *Repo) Fetch(ctx context.Context, remote string) error {
	if _, err := r.pushAddress(ctx, remote); err != nil {
		return err
	}
	follow := func(ref string) string { return "+" + ref + ":" + Tracking(remote, ref) }
	_, err := r.program(ctx, "", "fetch", "--quiet", "--refmap=", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", "--",
		remote, follow("refs/heads/main"), "+refs/heads/main:refs/remotes/"+remote+"/main",
		follow("refs/heads/proposal/*"), follow("refs/assent/*"))
	var exit *exec.ExitError
	if errors.As(err, &exit) && strings.Contains(err.Error(), "couldn't find remote ref refs/heads/main") {
		return fmt.Errorf("%s: %w", remote, ErrNoRemoteMain)
	}
	return err
}
