package gitea

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/tree"
)

// patience is the number of looks for a merge that the server detects by itself, if it
// does not accept a notice of it.
const patience = 4

// MarkMerged informs the server that a commit on the base merged a pull request. If its
// settings do not allow that (see docs/gitea.md), or the pull request is closed and has
// lost its branch, it is closed with a comment that names the commit.
func (api *mergeAPI) MarkMerged(ctx context.Context, number int, commit tree.Hash) error {
	looks := 0
	return api.repeat(ctx, func() error {
		pr, err := api.pullRequests.pull(ctx, number)
		if err != nil || pr.HasMerged {
			return err
		}
		repo, err := api.repository(ctx)
		if err != nil {
			return err
		}
		if !repo.AllowManualMerge {
			if looks++; repo.AutodetectManualMerge && looks < patience && pr.State == sdk.StateOpen {
				return &busy{error: fmt.Errorf("pull request #%d: %s has not seen its merge yet", number, api.URL)}
			}
			return api.closeMerged(ctx, pr, commit)
		}
		if err := api.pullRequests.setOpen(ctx, pr, true); missing(err) {
			return api.closeMerged(ctx, pr, commit)
		} else if err != nil {
			return err
		}
		return api.merged(ctx, pr, commit)
	})
}

// merged sends the request.
func (api *mergeAPI) merged(ctx context.Context, pr *sdk.PullRequest, commit tree.Hash) error {
	order := map[string]string{"Do": string(sdk.MergeStyleManuallyMerged), "MergeCommitID": commit.String()}
	d, said, err := api.send(ctx, pr, fmt.Sprintf("mark pull request #%d as merged", pr.Index), order)
	switch {
	case d == nil:
		return err
	case d.Status == http.StatusNotFound: // it was closed meanwhile, by a merge or by hand
		return &busy{error: err}
	case d.Status == http.StatusMethodNotAllowed && (strings.Contains(said, "already merged") || strings.Contains(said, "try again")):
		return &busy{error: err}
	case d.Status == http.StatusConflict: // "Wrong commit ID", which the answer omits
		d.Fix = fmt.Sprintf("push %s to %s first", commit.Short(), pr.Base.Name)
	}
	return err
}

// closeMerged closes a pull request whose merge the server cannot show.
func (api *mergeAPI) closeMerged(ctx context.Context, pr *sdk.PullRequest, commit tree.Hash) error {
	if err := api.comments.comment(ctx, int(pr.Index), "merged", "Merged by "+commit.String()+"."); err != nil {
		return err
	}
	return api.pullRequests.setOpen(ctx, pr, false)
}
