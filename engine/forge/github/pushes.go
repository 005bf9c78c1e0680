package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// activity is one change of a ref. go-github has no call for it.
//
// Source: https://docs.github.com/rest/repos/repos#list-repository-activities
type activity struct {
	Before, After, Ref string
	Timestamp          time.Time
	Actor              *github.User
}

// pushAPI reads which accounts pushed.
type pushAPI struct{ *server }

// Pushes lists the moves of a branch, oldest first: its creation, pushes (forced or not),
// merges and its deletion. GitHub keeps them as long as the repository exists.
func (api *pushAPI) Pushes(ctx context.Context, branch string) ([]host.Push, error) {
	ref := "refs/heads/" + branch
	address := api.path("activity?%s", url.Values{"ref": {ref}, "direction": {"asc"}, "per_page": {fmt.Sprint(perPage)}}.Encode())
	var out []host.Push
	budget := api.budget()
	for range rest.MaxPages {
		var page []activity
		next, err := api.activities(ctx, budget, address, &page)
		switch statusOf(err) {
		case http.StatusForbidden, http.StatusNotFound: // or an Enterprise Server without this endpoint
			return nil, host.ErrUnknown
		}
		if err != nil {
			return nil, explain("list who pushed to "+branch, err)
		}
		for _, a := range page {
			if a.Ref != ref {
				continue
			}
			p, err := push(a)
			if err != nil {
				return nil, fmt.Errorf("list who pushed to %s: %w", branch, err)
			}
			out = append(out, p)
		}
		if next == "" {
			return out, nil
		}
		address = api.path("activity?%s", url.Values{"ref": {ref}, "direction": {"asc"}, "per_page": {fmt.Sprint(perPage)}, "after": {next}}.Encode())
	}
	return nil, fmt.Errorf("list who pushed to %s: the list does not end", branch)
}

// activities reads one page within the budget and returns the cursor of the next.
func (api *pushAPI) activities(ctx context.Context, budget *rest.Budget, address string, page *[]activity) (string, error) {
	req, err := api.usual.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := api.usual.Do(ctx, req, page)
	if err != nil {
		return "", err
	}
	return resp.After, budget.Spend(resp.Response, len(*page))
}

func push(a activity) (host.Push, error) {
	before, err := tree.ParseHash(a.Before)
	if err != nil {
		return host.Push{}, err
	}
	after, err := tree.ParseHash(a.After)
	return host.Push{Login: a.Actor.GetLogin(), Old: before, New: after, At: a.Timestamp}, err
}
