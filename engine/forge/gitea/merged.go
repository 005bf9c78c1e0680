package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
)

// patience is how often one looks whether the server has seen a merge by itself, where it
// cannot be told.
const patience = 4

// MarkMerged tells the server that a pull request was merged by a commit that is on the
// base now. Where its settings do not allow that (see docs/gitea.md), or the branch is
// gone from a closed one, it is closed with a comment that names the commit.
func (h *Host) MarkMerged(ctx context.Context, number int, commit tree.Hash) error {
	looks := 0
	return h.repeat(ctx, func() error {
		pr, err := h.pull(ctx, number)
		if err != nil || pr.HasMerged {
			return err
		}
		repo, err := h.repository(ctx)
		if err != nil {
			return err
		}
		if !repo.AllowManualMerge {
			if looks++; repo.AutodetectManualMerge && looks < patience && pr.State == sdk.StateOpen {
				return &busy{error: fmt.Errorf("pull request #%d: %s has not seen its merge yet", number, h.URL)}
			}
			return h.closeMerged(ctx, pr, commit)
		}
		if err := h.setOpen(ctx, pr, true); missing(err) {
			return h.closeMerged(ctx, pr, commit)
		} else if err != nil {
			return err
		}
		return h.merged(ctx, pr, commit)
	})
}

// merged makes the request. The client library drops what the server says to it.
func (h *Host) merged(ctx context.Context, pr *sdk.PullRequest, commit tree.Hash) error {
	order := map[string]string{"Do": string(sdk.MergeStyleManuallyMerged), "MergeCommitID": commit.String()}
	err := h.ask(ctx, fmt.Sprintf("mark pull request #%d as merged", pr.Index),
		h.raw(ctx, http.MethodPost, fmt.Sprintf("/pulls/%d/merge", pr.Index), order, nil))
	var d *host.Denied
	if !errors.As(err, &d) {
		return err
	}
	said := strings.ToLower(d.Said)
	switch {
	case d.Status == http.StatusNotFound: // it was closed meanwhile, by being merged or by hand
		return &busy{error: err}
	case d.Status == http.StatusMethodNotAllowed && (strings.Contains(said, "already merged") || strings.Contains(said, "try again")):
		return &busy{error: err}
	case d.Status == http.StatusConflict: // "Wrong commit ID", which gets lost on its way
		d.Fix = fmt.Sprintf("%s has to be on %s first", commit.Short(), pr.Base.Name)
	}
	return err
}

// closeMerged is what is left where the server cannot show a merge.
func (h *Host) closeMerged(ctx context.Context, pr *sdk.PullRequest, commit tree.Hash) error {
	if err := h.comment(ctx, int(pr.Index), "merged", "Merged by "+commit.String()+"."); err != nil {
		return err
	}
	return h.setOpen(ctx, pr, false)
}
