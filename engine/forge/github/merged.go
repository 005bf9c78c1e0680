package github

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// looks returns the pauses while GitHub processes a push in the background.
func looks() []time.Duration {
	return []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
}

// MarkMerged waits until GitHub notices that the commits of an open pull request are on
// its base. If it does not notice, the pull request is closed with a comment. A commit
// that is not on the base is refused.
func (api *mergeAPI) MarkMerged(ctx context.Context, number int, commit tree.Hash) error {
	now, err := api.pullRequests.get(ctx, number)
	if err != nil || now.Merged {
		return err
	}
	if err := api.onBase(ctx, now, commit); err != nil {
		return err
	}
	for _, pause := range looks() {
		if !now.Open {
			break
		}
		if err := api.sleep(ctx, pause); err != nil {
			return fmt.Errorf("wait until pull request %d shows as merged: %w", number, err)
		}
		if now, err = api.pullRequests.get(ctx, number); err != nil || now.Merged {
			return err
		}
	}
	text := fmt.Sprintf("Merged by commit %s. GitHub does not show it as merged, so it is closed.", commit)
	if err := api.pullRequests.SetOpen(ctx, number, false); err != nil {
		return err
	}
	return api.comments.Comment(ctx, number, "merged", text)
}

// onBase refuses a commit that is not on the base of a pull request.
func (api *mergeAPI) onBase(ctx context.Context, r host.Request, commit tree.Hash) error {
	doing := fmt.Sprintf("show pull request %d as merged", r.Number)
	var answer struct{ Status string }
	// The second page has the status and no files.
	address := api.path("compare/%s...%s?per_page=1&page=2", commit, escape(r.Base))
	if err := api.do(ctx, api.usual, http.MethodGet, address, nil, &answer); err != nil {
		return explain(doing, err)
	}
	switch answer.Status {
	case "ahead", "identical":
		return nil
	case "behind", "diverged":
		return &host.Denied{Doing: doing, Status: http.StatusConflict, Said: commit.String() + " is not on " + r.Base,
			Fix: "push the merge first"}
	}
	return fmt.Errorf("%s: GitHub compares the commits as %q", doing, rest.CutBytes(answer.Status, maxTitle))
}
