package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
)

// mergeAPI makes merges and shows them.
type mergeAPI struct {
	*server
	pullRequests pullAPI
	comments     commentAPI
}

// Merge asks the server to merge a pull request at one head, now or after its checks
// succeed. After a lost answer it reads the state before it asks again. A server that has
// not checked a pull request yet answers as for a conflict, so it is asked longer than a
// busy one.
func (api *mergeAPI) Merge(ctx context.Context, number int, m host.Merge) (queued bool, err error) {
	looks := 0
	return queued, api.repeat(ctx, func() error {
		queued = false
		pr, err := api.pullRequests.pull(ctx, number)
		if err != nil || pr.HasMerged {
			return err
		}
		if pr.Head.Sha != m.Head.String() {
			if looks++; looks < patience { // the server has not processed a push yet
				return &busy{error: host.ErrMoved}
			}
			return host.ErrMoved
		}
		err = api.order(ctx, pr, m)
		var d *host.Denied
		if errors.As(err, &d) && strings.Contains(strings.ToLower(d.Said), "try again") {
			d.Fix = "where it stays so, the server sees a conflict, maybe one that assent would settle: bring it up to date with assent rebase"
		}
		if err != nil || !m.Queue {
			return api.unless(ctx, number, err)
		}
		pr, err = api.pullRequests.pull(ctx, number)
		queued = err == nil && !pr.HasMerged
		return err
	})
}

// unless ignores a refusal if the pull request was merged meanwhile: the server's message
// is unspecific.
func (api *mergeAPI) unless(ctx context.Context, number int, err error) error {
	var d *host.Denied
	if errors.As(err, &d) {
		if pr, lookErr := api.pullRequests.pull(ctx, number); lookErr == nil && pr.HasMerged {
			return nil
		}
	}
	return err
}

// unlooked is the number of further tries, 15 seconds apart, for a server that may not
// have checked for conflicts yet. After a push to main it checks every pull request.
const unlooked = 3

// send orders a merge and returns the server's refusal, which the client library drops, and its words in lower case.
func (api *mergeAPI) send(ctx context.Context, pr *sdk.PullRequest, what string, body any) (d *host.Denied, said string, err error) {
	err = api.ask(ctx, what, api.raw(ctx, http.MethodPost, fmt.Sprintf("/pulls/%d/merge", pr.Index), body, nil))
	if errors.As(err, &d) {
		said = strings.ToLower(d.Said)
	}
	return d, said, err
}

// order sends the request.
func (api *mergeAPI) order(ctx context.Context, pr *sdk.PullRequest, m host.Merge) error {
	body := map[string]any{"Do": string(sdk.MergeStyleMerge), "MergeTitleField": title(m.Title), "head_commit_id": m.Head.String(), "merge_when_checks_succeed": m.Queue}
	d, said, err := api.send(ctx, pr, fmt.Sprintf("merge pull request #%d", pr.Index), body)
	switch {
	case d == nil:
		return err
	case d.Status == http.StatusConflict && m.Queue && strings.Contains(said, "already scheduled"):
		return nil
	case d.Status == http.StatusConflict && strings.Contains(said, "head out of date"):
		return host.ErrMoved
	case d.Status == http.StatusConflict && strings.Contains(said, "push out of date"), // the base moved
		d.Status == http.StatusMethodNotAllowed && strings.Contains(said, "already merged"):
		return &busy{error: err}
	case d.Status == http.StatusMethodNotAllowed && strings.Contains(said, "try again"):
		return &busy{error: err, more: unlooked}
	}
	return err
}

// happened is an entry in a pull request's timeline. The client library cannot decode
// those about labels.
type happened struct {
	ID   int64
	Type string
}

// Queued reports whether a pull request will be merged when its checks succeed. The
// server reveals it only in the timeline.
func (api *mergeAPI) Queued(ctx context.Context, number int) (queued bool, err error) {
	return queued, api.repeat(ctx, func() error {
		events, err := pages(ctx, api.server, fmt.Sprintf("read the timeline of pull request #%d", number), func(e *happened) int64 { return e.ID },
			func(c *sdk.Client, o sdk.ListOptions) (list []*happened, resp *sdk.Response, err error) {
				resp, err = api.raw(ctx, http.MethodGet, fmt.Sprintf("/issues/%d/timeline?page=%d&limit=%d", number, o.Page, o.PageSize), nil, &list)(c)
				return list, resp, err
			}, nil)
		queued = false
		for _, e := range events {
			switch e.Type {
			case "pull_scheduled_merge":
				queued = true
			case "pull_cancel_scheduled_merge":
				queued = false
			}
		}
		return err
	})
}

// Unqueue cancels the merge that waits for a pull request's checks.
func (api *mergeAPI) Unqueue(ctx context.Context, number int) (was bool, err error) {
	return was, api.repeat(ctx, func() error {
		err := api.ask(ctx, fmt.Sprintf("cancel the queued merge of pull request #%d", number),
			api.raw(ctx, http.MethodDelete, fmt.Sprintf("/pulls/%d/merge", number), nil, nil))
		if was = err == nil; missing(err) {
			return nil // it was not queued
		}
		return err
	})
}
