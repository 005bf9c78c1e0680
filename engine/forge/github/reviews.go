package github

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// The names of decisions in package host.
const (
	approve, requestChanges, revoke = "approve", "request-changes", "revoke"
)

// decision translates the state of a review at GitHub; other states are no decision and
// give "".
func decision(state string) string {
	switch state {
	case "APPROVED":
		return approve
	case "CHANGES_REQUESTED":
		return requestChanges
	case "DISMISSED":
		return revoke
	}
	return ""
}

// ghost is the account that GitHub shows instead of a deleted one.
const ghost = "ghost"

// reviewAPI reads and writes reviews.
type reviewAPI struct{ *server }

// Reviews lists decisions in the order in which they were made. A dismissed one appears
// at its place as revoke.
func (api *reviewAPI) Reviews(ctx context.Context, number int) ([]host.Review, error) {
	all, err := api.reviews(ctx, number)
	if err != nil {
		return nil, explain(fmt.Sprintf("list the reviews of pull request %d", number), err)
	}
	var out []host.Review
	for _, r := range all {
		word := decision(r.GetState())
		if word == "" {
			continue
		}
		// GitHub omits a commit that was overwritten and garbage-collected. Such a review
		// is on no existing head.
		head, err := tree.ParseHash(r.GetCommitID())
		if err != nil && r.GetCommitID() != "" {
			return nil, fmt.Errorf("a review of pull request %d: %w", number, err)
		}
		out = append(out, host.Review{
			Login: loginOf(r.User), Decision: word, Body: lines(r.GetBody()), Head: head, At: r.GetSubmittedAt().Time,
		})
	}
	return out, nil
}

func (api *reviewAPI) reviews(ctx context.Context, number int) ([]*github.PullRequestReview, error) {
	return everything(api.server, func(page github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
		return api.usual.PullRequests.ListReviews(ctx, api.owner, api.repo, number, &page)
	})
}

func loginOf(u *github.User) string {
	if u.GetLogin() == "" {
		return ghost
	}
	return u.GetLogin()
}

// Review records a decision of the account; revoke dismisses its decisions. A decision
// that equals the account's last one is not repeated.
func (api *reviewAPI) Review(ctx context.Context, number int, r host.Review) error {
	event := map[string]string{approve: "APPROVE", requestChanges: "REQUEST_CHANGES"}[r.Decision]
	doing := fmt.Sprintf("review pull request %d", number)
	if r.Decision == revoke {
		return explain(doing, api.dismiss(ctx, number, r.Body))
	}
	if event == "" {
		return fmt.Errorf("%s: unknown decision %q", doing, r.Decision)
	}
	if r.Decision == requestChanges && r.Body == "" {
		r.Body = "Changes are needed." // GitHub requires a text
	}
	r.Body = rest.CutBytes(r.Body, maxBody)
	given := func(ctx context.Context) (struct{}, bool, error) {
		last, err := api.last(ctx, number)
		return struct{}{}, last != nil && decision(last.GetState()) == r.Decision &&
			last.GetCommitID() == r.Head.String() && lines(last.GetBody()) == lines(r.Body), err
	}
	if _, ok, err := given(ctx); ok || err != nil {
		return explain(doing, err)
	}
	_, err := makeOnce(ctx, api.sleep, func(ctx context.Context) (struct{}, error) {
		_, _, err := api.usual.PullRequests.CreateReview(ctx, api.owner, api.repo, number, &github.PullRequestReviewRequest{
			CommitID: github.String(r.Head.String()), Event: github.String(event), Body: &r.Body,
		})
		return struct{}{}, err
	}, given)
	return explain(doing, err)
}

// last returns the account's newest decision, dismissed or not; nil without one.
func (api *reviewAPI) last(ctx context.Context, number int) (*github.PullRequestReview, error) {
	me, err := api.Login(ctx)
	if err != nil {
		return nil, err
	}
	all, err := api.reviews(ctx, number)
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Backward(all) {
		if decision(r.GetState()) != "" && strings.EqualFold(r.GetUser().GetLogin(), me) {
			return r, nil
		}
	}
	return nil, nil
}

// dismiss revokes the account's decisions that are still valid.
func (api *reviewAPI) dismiss(ctx context.Context, number int, why string) error {
	me, err := api.Login(ctx)
	if err != nil {
		return err
	}
	all, err := api.reviews(ctx, number)
	if err != nil {
		return err
	}
	if why == "" {
		why = "Taken back." // GitHub requires a text
	}
	for _, r := range all {
		word := decision(r.GetState())
		if word == "" || word == revoke || !strings.EqualFold(r.GetUser().GetLogin(), me) {
			continue
		}
		_, _, err := api.usual.PullRequests.DismissReview(ctx, api.owner, api.repo, number, r.GetID(),
			&github.PullRequestReviewDismissalRequest{Message: github.String(rest.CutBytes(why, maxBody))})
		if err != nil {
			return err
		}
	}
	return nil
}
