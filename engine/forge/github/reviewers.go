package github

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v60/github"
)

// AskReviewers requests reviews from accounts that were not asked yet and have not
// decided on the current head.
func (api *reviewAPI) AskReviewers(ctx context.Context, number int, logins []string) error {
	doing := fmt.Sprintf("ask for reviews of pull request %d", number)
	pr, _, err := api.usual.PullRequests.Get(ctx, api.owner, api.repo, number)
	if err != nil {
		return explain(doing, err)
	}
	given, err := api.reviews(ctx, number)
	if err != nil {
		return explain(doing, err)
	}
	missing := slices.DeleteFunc(slices.Clone(logins), func(login string) bool {
		same := func(u *github.User) bool { return strings.EqualFold(u.GetLogin(), login) }
		return same(pr.GetUser()) || slices.ContainsFunc(pr.RequestedReviewers, same) ||
			slices.ContainsFunc(given, func(r *github.PullRequestReview) bool {
				return same(r.GetUser()) && decision(r.GetState()) != "" && r.GetCommitID() == pr.GetHead().GetSHA()
			})
	})
	if len(missing) == 0 {
		return nil
	}
	err = api.ask(ctx, number, missing)
	if len(missing) == 1 || statusOf(err) != http.StatusUnprocessableEntity {
		return explain(doing, passOver(err))
	}
	// GitHub refuses the whole request if one account cannot be asked, so each is asked
	// alone.
	for _, login := range missing {
		err = passOver(api.ask(ctx, number, []string{login}))
		if err != nil {
			break
		}
	}
	return explain(doing, err)
}

func (api *reviewAPI) ask(ctx context.Context, number int, logins []string) error {
	_, _, err := api.repeatable.PullRequests.RequestReviewers(ctx, api.owner, api.repo, number, github.ReviewersRequest{Reviewers: logins})
	return err
}

// passOver ignores that an account cannot be asked.
func passOver(err error) error {
	if statusOf(err) == http.StatusUnprocessableEntity {
		return nil
	}
	return err
}
