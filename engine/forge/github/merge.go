package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/assent-dev/assent/engine/forge/host"
)

// mergeAPI makes merges and shows them.
type mergeAPI struct {
	*server
	pullRequests pullAPI
	comments     commentAPI
}

// Merge asks GitHub to merge a pull request at one head, now or after its checks pass.
// After a lost answer it reads the state before it asks again.
func (api *mergeAPI) Merge(ctx context.Context, number int, m host.Merge) (queued bool, err error) {
	doing := fmt.Sprintf("merge pull request %d", number)
	order := api.mergeNow
	if m.Queue {
		order = api.enqueue
	}
	for _, pause := range looks() {
		if queued, err = order(ctx, number, m); err == nil || !tryAgain(err) {
			break
		}
		if err := api.sleep(ctx, pause); err != nil {
			return false, fmt.Errorf("%s: %w", doing, err)
		}
	}
	var d *host.Denied
	if errors.As(err, &d) {
		d.Doing = doing
		return false, d
	}
	return queued, explain(doing, err)
}

// mergeNow sends the request. It must not be sent twice: after a merge, GitHub answers
// that the pull request cannot be merged.
//
// https://docs.github.com/rest/pulls/pulls#merge-a-pull-request
func (api *mergeAPI) mergeNow(ctx context.Context, number int, m host.Merge) (bool, error) {
	now, err := api.pullRequests.get(ctx, number)
	switch {
	case err != nil || now.Merged:
		return false, err
	case now.Head != m.Head:
		return false, host.ErrMoved
	}
	order := map[string]string{"sha": m.Head.String(), "merge_method": "merge", "commit_title": titled(m.Title), "commit_message": ""}
	err = api.do(ctx, api.once, http.MethodPut, api.path("pulls/%d/merge", number), order, nil)
	if statusOf(err) == http.StatusConflict {
		return false, host.ErrMoved
	}
	return false, err
}

// tryAgain reports whether err is temporary: a lost answer, a base that moved, or a pull
// request that GitHub has not processed yet.
func tryAgain(err error) bool {
	if errors.Is(err, host.ErrMoved) {
		return false
	}
	refused := answerOf(err)
	return lost(err) || statusOf(err) == http.StatusMethodNotAllowed && mentions(refused, "try the merge again", "is not mergeable")
}

// mergeLater is the state of a pull request in the merge queue and in auto-merge.
type mergeLater struct {
	ID                  string
	HeadRefOid          string
	Merged              bool
	IsMergeQueueEnabled bool
	IsInMergeQueue      bool
	AutoMergeRequest    *struct{ EnabledAt string }
}

const laterQuery = `query($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) {
pullRequest(number: $number) { id headRefOid merged isMergeQueueEnabled isInMergeQueue autoMergeRequest { enabledAt } } } }`

func (api *mergeAPI) later(ctx context.Context, number int) (mergeLater, error) {
	var answer struct {
		Repository struct{ PullRequest mergeLater }
	}
	err := api.graphql(ctx, api.repeatable, laterQuery, map[string]any{"owner": api.owner, "name": api.repo, "number": number}, &answer)
	if p := answer.Repository.PullRequest; err != nil || p.ID != "" {
		return p, err
	}
	return mergeLater{}, &host.Denied{Doing: "look at it", Status: http.StatusNotFound, Said: "there is no such pull request"}
}

// The mutations for queued merges, documented at
// https://docs.github.com/graphql/reference/mutations
const (
	enqueueOrder = `mutation($input: EnqueuePullRequestInput!) { enqueuePullRequest(input: $input) { clientMutationId } }`
	dequeueOrder = `mutation($input: DequeuePullRequestInput!) { dequeuePullRequest(input: $input) { clientMutationId } }`
	enableOrder  = `mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { clientMutationId } }`
	disableOrder = `mutation($input: DisablePullRequestAutoMergeInput!) { disablePullRequestAutoMerge(input: $input) { clientMutationId } }`
)

func (api *mergeAPI) mutate(ctx context.Context, order string, input map[string]any) error {
	var answer map[string]any
	return api.graphql(ctx, api.once, order, map[string]any{"input": input}, &answer)
}

// enqueue puts a pull request into the base's merge queue. Without a queue, or if the
// queue requires passed checks first, it enables auto-merge. If nothing is left to wait
// for, it merges.
func (api *mergeAPI) enqueue(ctx context.Context, number int, m host.Merge) (queued bool, err error) {
	p, err := api.later(ctx, number)
	switch {
	case err != nil || p.Merged:
		return false, err
	case p.HeadRefOid != m.Head.String():
		return false, host.ErrMoved
	case p.IsInMergeQueue || p.AutoMergeRequest != nil:
		return true, nil
	}
	if p.IsMergeQueueEnabled {
		err := api.mutate(ctx, enqueueOrder, map[string]any{"pullRequestId": p.ID, "expectedHeadOid": p.HeadRefOid})
		if err == nil || !isDenied(err) {
			return err == nil, err
		}
	}
	input := map[string]any{"pullRequestId": p.ID, "expectedHeadOid": p.HeadRefOid, "mergeMethod": "MERGE", "commitHeadline": titled(m.Title), "commitBody": ""}
	err = api.mutate(ctx, enableOrder, input)
	var d *host.Denied
	if errors.As(err, &d) && strings.Contains(d.Said, "clean status") {
		return api.mergeNow(ctx, number, m)
	}
	return err == nil, err
}

// Queued reports whether a pull request is in the merge queue or has auto-merge enabled.
func (api *mergeAPI) Queued(ctx context.Context, number int) (bool, error) {
	p, err := api.later(ctx, number)
	return p.IsInMergeQueue || p.AutoMergeRequest != nil, explain(fmt.Sprintf("see whether pull request %d is queued", number), err)
}

// Unqueue removes a pull request from the merge queue and disables its auto-merge.
func (api *mergeAPI) Unqueue(ctx context.Context, number int) (was bool, err error) {
	p, err := api.later(ctx, number)
	if err == nil && p.IsInMergeQueue {
		was, err = true, api.mutate(ctx, dequeueOrder, map[string]any{"id": p.ID})
	}
	if err == nil && p.AutoMergeRequest != nil {
		was, err = true, api.mutate(ctx, disableOrder, map[string]any{"pullRequestId": p.ID})
	}
	var d *host.Denied
	if errors.As(err, &d) {
		d.Doing = fmt.Sprintf("take pull request %d out of the queue", number)
	}
	return was && err == nil, explain(fmt.Sprintf("take pull request %d out of the queue", number), err)
}
