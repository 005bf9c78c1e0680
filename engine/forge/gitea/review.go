package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// The names of decisions in package host.
const (
	approve        = "approve"
	requestChanges = "request-changes"
	revoke         = "revoke"
)

// reviewAPI reads and writes reviews.
type reviewAPI struct {
	*server
	pullRequests pullAPI
}

// Reviews lists decisions in the order in which they were made. A dismissed one appears
// at its own place, as revoked. The server also dismisses decisions that the account
// itself replaced; those stay decisions.
func (api *reviewAPI) Reviews(ctx context.Context, number int) ([]host.Review, error) {
	var out []host.Review
	return out, api.repeat(ctx, func() error {
		list, err := api.reviews(ctx, number)
		if err != nil {
			return err
		}
		out = nil
		for i, r := range list {
			head, err := tree.ParseHash(r.CommitID)
			if err != nil {
				return fmt.Errorf("a review of pull request #%d is on %q: %w", number, rest.CutRunes(r.CommitID, maxSaid), err)
			}
			decision := decisionOf(r)
			if r.Dismissed && !decidedAgain(r, list[i+1:]) {
				decision = revoke
			}
			out = append(out, host.Review{Login: r.Reviewer.UserName, Decision: decision, Body: r.Body, Head: head, At: r.Submitted})
		}
		return nil
	})
}

func decidedAgain(r *sdk.PullReview, later []*sdk.PullReview) bool {
	return slices.ContainsFunc(later, func(l *sdk.PullReview) bool { return l.Reviewer.ID == r.Reviewer.ID })
}

// reviews returns the deciding reviews in order.
func (api *reviewAPI) reviews(ctx context.Context, number int) ([]*sdk.PullReview, error) {
	list, err := pages(ctx, api.server, fmt.Sprintf("read the reviews of pull request #%d", number), func(r *sdk.PullReview) int64 { return r.ID },
		func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.PullReview, *sdk.Response, error) {
			return c.ListPullReviews(api.Owner, api.Repo, int64(number), sdk.ListPullReviewsOptions{ListOptions: o})
		}, nil)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r *sdk.PullReview) bool { return r.Reviewer == nil || decisionOf(r) == "" })
	order.Stable(list, func(a, b *sdk.PullReview) int { return a.Submitted.Compare(b.Submitted) })
	return list, nil
}

func decisionOf(r *sdk.PullReview) string {
	switch r.State {
	case sdk.ReviewStateApproved:
		return approve
	case sdk.ReviewStateRequestChanges:
		return requestChanges
	}
	return ""
}

// Review records a decision of the token's account on that head.
func (api *reviewAPI) Review(ctx context.Context, number int, r host.Review) error {
	event, known := map[string]sdk.ReviewStateType{approve: sdk.ReviewStateApproved, requestChanges: sdk.ReviewStateRequestChanges}[r.Decision]
	if !known && r.Decision != revoke {
		return fmt.Errorf("review pull request #%d: unknown decision %q", number, r.Decision)
	}
	if event == sdk.ReviewStateRequestChanges && strings.TrimSpace(r.Body) == "" {
		r.Body = "Changes requested." // the server requires a text
	}
	return api.repeat(ctx, func() error {
		mine, err := api.own(ctx, number)
		if err != nil {
			return err
		}
		if r.Decision == revoke {
			return api.revoke(ctx, number, mine, r.Body)
		}
		if len(mine) > 0 {
			last := mine[len(mine)-1]
			if decisionOf(last) == r.Decision && last.CommitID == r.Head.String() && last.Body == r.Body {
				return nil
			}
		}
		return api.ask(ctx, fmt.Sprintf("review pull request #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
			_, resp, err := c.CreatePullReview(api.Owner, api.Repo, int64(number), sdk.CreatePullReviewOptions{State: event, Body: r.Body, CommitID: r.Head.String()})
			return resp, err
		})
	})
}

// own returns this account's decisions that were not revoked.
func (api *reviewAPI) own(ctx context.Context, number int) ([]*sdk.PullReview, error) {
	me, err := api.self(ctx)
	if err != nil {
		return nil, err
	}
	list, err := api.reviews(ctx, number)
	return slices.DeleteFunc(list, func(r *sdk.PullReview) bool { return r.Reviewer.ID != me.ID || r.Dismissed }), err
}

// revoke dismisses each of the account's decisions, which stay visible. Only
// administrators of the repository may do that; others may delete their own reviews.
func (api *reviewAPI) revoke(ctx context.Context, number int, mine []*sdk.PullReview, why string) error {
	doing := fmt.Sprintf("revoke a review of pull request #%d", number)
	for _, r := range slices.Backward(mine) {
		err := api.ask(ctx, doing, func(c *sdk.Client) (*sdk.Response, error) {
			return c.DismissPullReview(api.Owner, api.Repo, int64(number), r.ID, sdk.DismissPullReviewOptions{Message: why})
		})
		var d *host.Denied
		if errors.As(err, &d) && d.Status == http.StatusForbidden {
			err = api.ask(ctx, doing, func(c *sdk.Client) (*sdk.Response, error) {
				return c.DeletePullReview(api.Owner, api.Repo, int64(number), r.ID)
			})
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// AskReviewers requests reviews. It skips accounts that were asked already, have decided
// on this head, or cannot be asked.
func (api *reviewAPI) AskReviewers(ctx context.Context, number int, logins []string) error {
	return api.repeat(ctx, func() error {
		pr, err := api.pullRequests.pull(ctx, number)
		if err != nil {
			return err
		}
		list, err := api.reviews(ctx, number)
		if err != nil {
			return err
		}
		asked := map[string]bool{"": true}
		for _, u := range append(pr.RequestedReviewers, pr.Poster) {
			if u != nil {
				asked[strings.ToLower(u.UserName)] = true
			}
		}
		for _, r := range list {
			if r.CommitID == pr.Head.Sha {
				asked[strings.ToLower(r.Reviewer.UserName)] = true
			}
		}
		for _, login := range logins {
			if asked[strings.ToLower(login)] {
				continue
			}
			asked[strings.ToLower(login)] = true
			if err := api.askReviewer(ctx, number, login); err != nil {
				return err
			}
		}
		return nil
	})
}

// askReviewer asks one account: the server refuses a whole list if one cannot be asked.
func (api *reviewAPI) askReviewer(ctx context.Context, number int, login string) error {
	err := api.ask(ctx, fmt.Sprintf("ask for reviews of pull request #%d", number), func(c *sdk.Client) (*sdk.Response, error) {
		return c.CreateReviewRequests(api.Owner, api.Repo, int64(number), sdk.PullReviewRequestOptions{Reviewers: []string{login}})
	})
	var d *host.Denied
	if errors.As(err, &d) && (d.Status == http.StatusNotFound || d.Status == http.StatusUnprocessableEntity) &&
		!strings.Contains(d.Said, "Doer can't") {
		return nil
	}
	return err
}
