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

// The words for decisions on both sides.
const (
	approve, requestChanges, revoke = "approve", "request-changes", "revoke"
)

// decision translates what GitHub calls the state of a review; others are no decisions.
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

// ghost is whom GitHub shows in place of an account that was deleted.
const ghost = "ghost"

// reviewAPI reads and writes reviews.
type reviewAPI struct{ *server }

// Reviews lists decisions in the order in which they were given. One that was
// dismissed stands where it was given, as revoke.
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
		// A commit that was pushed over and collected is named no more: such a review is
		// on no head that anybody has.
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
	return everything(func(page github.ListOptions) ([]*github.PullRequestReview, *github.Response, error) {
		return api.usual.PullRequests.ListReviews(ctx, api.owner, api.repo, number, &page)
	})
}

func loginOf(u *github.User) string {
	if u.GetLogin() == "" {
		return ghost
	}
	return u.GetLogin()
}

// Review decides in the name of the account; revoke dismisses what it decided. What
// its last decision was already is not given again.
func (api *reviewAPI) Review(ctx context.Context, number int, r host.Review) error {
	event := map[string]string{approve: "APPROVE", requestChanges: "REQUEST_CHANGES"}[r.Decision]
	doing := fmt.Sprintf("review pull request %d", number)
	if r.Decision == revoke {
		return explain(doing, api.dismiss(ctx, number, r.Body))
	}
	if event == "" {
		return fmt.Errorf("%s: %q is no decision", doing, r.Decision)
	}
	if r.Decision == requestChanges && r.Body == "" {
		r.Body = "Changes are needed." // GitHub wants a text with it
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

// last is the account's own newest decision, dismissed or not; nil if it has none.
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

// dismiss takes back the account's decisions that still hold.
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
		why = "Taken back." // GitHub wants a text with it
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
