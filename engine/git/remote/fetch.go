package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-dev/assent/engine/git/gitstore"
)

// TrackingPrefix is the prefix of Fetch's tracking refs: the remote's name and ref follow.
const TrackingPrefix = "refs/assent-remotes/"

// Tracking returns the local tracking ref of a remote's ref.
func Tracking(remote, ref string) string {
	return TrackingPrefix + remote + "/" + strings.TrimPrefix(ref, "refs/")
}

// ErrNoRemoteMain is returned by Fetch when the remote has no branch main.
var ErrNoRemoteMain = errors.New("the remote has no branch main")

// Fetch has git fetch main, the branches of proposals and the journals of a remote to their
// tracking refs, overwriting them, and removes tracking refs that the remote no longer has. It
// moves no ref that anything here reads. It keeps the last main of a remote that moved back (Bound). If only some refs cannot be fetched, it fetches the
// others and returns *Partly.
func Fetch(ctx context.Context, r *gitstore.Repo, name string) error {
	before, err := lastMain(r, name)
	if err != nil {
		return err
	}
	failed := fetchAll(ctx, r, name)
	if err := keepBound(r, name, before); err != nil {
		return err
	}
	return failed
}

func fetchAll(ctx context.Context, r *gitstore.Repo, name string) error {
	f := fetching{repo: r, name: name, main: trackingRefspec(name, mainRef), patterns: []string{"refs/heads/proposal/*", "refs/assent/*"}}
	err := f.run(ctx, f.main, "+"+mainRef+":refs/remotes/"+name+"/main")
	if err != nil && strings.Contains(err.Error(), "couldn't find remote ref "+mainRef) {
		return fmt.Errorf("%s: %w", name, ErrNoRemoteMain)
	}
	return err
}

// unreachable reports whether the remote did not answer at all. A remote that fails on a broken
// object also hangs up, but answers the next request.
func unreachable(err error) bool { return errors.Is(err, ErrLogin) || errors.Is(err, ErrGone) }

// InboxPrefix is the prefix of pushed raw proposals.
const InboxPrefix = "refs/heads/inbox/"

// FetchInbox is Fetch for the inbox, which only a clone that turns raw proposals into proposals
// needs.
func FetchInbox(ctx context.Context, r *gitstore.Repo, name string) error {
	return fetching{repo: r, name: name, patterns: []string{InboxPrefix + "*"}}.run(ctx)
}

func fetch(ctx context.Context, r *gitstore.Repo, name, stdin string, refspecs ...string) error {
	return gitFetch(ctx, r, stdin, append([]string{
		"fetch", "--quiet", "--refmap=", "--no-tags", "--prune", "--no-write-fetch-head", "--no-recurse-submodules", "--stdin", "--", name,
	}, refspecs...)...)
}

// gitFetch runs git fetch. Git fetches nothing while a ref here names a missing object; then such refs
// are left out.
func gitFetch(ctx context.Context, r *gitstore.Repo, stdin string, args ...string) error {
	_, err := r.Git(ctx, stdin, args...)
	if err != nil && strings.Contains(err.Error(), "bad object refs/") && ctx.Err() == nil {
		err = r.FetchPast(ctx, stdin, args...)
	}
	return withReason(ctx, err)
}

// trackingRefspec returns the refspec that fetches refs to their tracking refs.
func trackingRefspec(name, refs string) string { return "+" + refs + ":" + Tracking(name, refs) }
