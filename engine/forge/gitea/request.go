package gitea

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// pullAPI reads and writes pull requests.
type pullAPI struct{ *server }

// Find returns the pull request that represents branch. Closed ones are searched only if
// there is one into base.
func (api *pullAPI) Find(ctx context.Context, branch, base string) (host.Request, error) {
	var found host.Request
	return found, api.repeat(ctx, func() error {
		pr, err := api.standing(ctx, branch, base)
		if err == nil {
			found, err = request(pr)
		}
		return err
	})
}

// standing finds the pull request without reading all there ever were. The first one into
// the base takes one request, and bounds the search.
func (api *pullAPI) standing(ctx context.Context, branch, base string) (*sdk.PullRequest, error) {
	first, err := api.into(ctx, base, branch)
	if err != nil && !errors.Is(err, host.ErrNoRequest) {
		return nil, err
	}
	if err == nil && first.State == sdk.StateOpen {
		return first, nil
	}
	open, err := api.pulls(ctx, sdk.StateOpen, api.from(branch), nil)
	if into := api.only(open, base); err != nil || len(into) > 0 {
		return newestOf(into), err
	} else if len(open) > 0 {
		return newestOf(open), nil
	}
	if first == nil {
		return nil, host.ErrNoRequest
	}
	closed, err := api.pulls(ctx, sdk.StateClosed, api.from(branch), func(page []*sdk.PullRequest) bool {
		return slices.ContainsFunc(page, func(pr *sdk.PullRequest) bool {
			return api.from(branch)(pr) && pr.Base.Name == base || pr.Index <= first.Index
		})
	})
	return newestOf(append(api.only(closed, base), first)), err
}

// only returns the pull requests into a base.
func (api *pullAPI) only(list []*sdk.PullRequest, base string) []*sdk.PullRequest {
	return slices.DeleteFunc(slices.Clone(list), func(pr *sdk.PullRequest) bool { return pr.Base.Name != base })
}

// From returns all pull requests from branch that were opened since then, newest first.
func (api *pullAPI) From(ctx context.Context, branch string, since time.Time) ([]host.Request, error) {
	var out []host.Request
	return out, api.repeat(ctx, func() error {
		list, err := api.pulls(ctx, sdk.StateAll, api.from(branch), func(page []*sdk.PullRequest) bool {
			return slices.ContainsFunc(page, func(pr *sdk.PullRequest) bool { return moment(pr.Created).Before(since) })
		})
		if err == nil {
			out, err = requests(list)
		}
		return err
	})
}

func requests(list []*sdk.PullRequest) ([]host.Request, error) {
	var out []host.Request
	for _, pr := range list {
		r, err := request(pr)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// into returns the first pull request that was ever opened from branch into base.
func (api *pullAPI) into(ctx context.Context, base, branch string) (*sdk.PullRequest, error) {
	var pr *sdk.PullRequest
	err := api.ask(ctx, "look for a pull request", func(c *sdk.Client) (resp *sdk.Response, err error) {
		pr, resp, err = c.GetPullRequestByBaseHead(api.Owner, api.Repo, base, branch)
		return resp, err
	})
	if missing(err) || err == nil && !api.from(branch)(pr) {
		return nil, host.ErrNoRequest
	}
	return pr, err
}

// missing reports whether err is the server's 404.
func missing(err error) bool {
	var d *host.Denied
	return errors.As(err, &d) && d.Status == http.StatusNotFound
}

// from returns a filter for pull requests from a branch of this repository.
func (api *pullAPI) from(branch string) func(*sdk.PullRequest) bool {
	return func(pr *sdk.PullRequest) bool { return here(pr) && pr.Head.Name == branch }
}

// here reports whether a pull request comes from the repository itself: not from a fork,
// and not pushed without a branch.
func here(pr *sdk.PullRequest) bool {
	return pr.Index > 0 && pr.Head != nil && pr.Base != nil && pr.Head.Name != "" && pr.Head.RepoID == pr.Base.RepoID
}

func newestOf(list []*sdk.PullRequest) *sdk.PullRequest {
	if len(list) == 0 {
		return nil
	}
	return slices.MaxFunc(list, func(a, b *sdk.PullRequest) int { return cmp.Compare(a.Index, b.Index) })
}

// pulls lists pull requests, newest first, until a page is enough.
func (api *pullAPI) pulls(ctx context.Context, state sdk.StateType, keep func(*sdk.PullRequest) bool, enough func([]*sdk.PullRequest) bool) ([]*sdk.PullRequest, error) {
	var list []*sdk.PullRequest
	young, err := api.unlessYoung(ctx, func() (err error) {
		list, err = pages(ctx, api.server, "list pull requests", func(pr *sdk.PullRequest) int64 { return pr.Index },
			func(c *sdk.Client, o sdk.ListOptions) ([]*sdk.PullRequest, *sdk.Response, error) {
				return c.ListRepoPullRequests(api.Owner, api.Repo, sdk.ListPullRequestsOptions{ListOptions: o, State: state})
			}, enough)
		return err
	})
	if young {
		return nil, nil
	}
	list = slices.DeleteFunc(list, func(pr *sdk.PullRequest) bool { return !keep(pr) })
	order.Sort(list, func(a, b *sdk.PullRequest) int { return cmp.Compare(b.Index, a.Index) })
	return list, err
}

// List returns the pull requests from branches with that prefix, newest first.
func (api *pullAPI) List(ctx context.Context, prefix string, onlyOpen bool) ([]host.Request, error) {
	state := sdk.StateAll
	if onlyOpen {
		state = sdk.StateOpen
	}
	var out []host.Request
	return out, api.repeat(ctx, func() error {
		list, err := api.pulls(ctx, state, func(pr *sdk.PullRequest) bool { return here(pr) && strings.HasPrefix(pr.Head.Name, prefix) }, nil)
		if err == nil {
			out, err = requests(list)
		}
		return err
	})
}

// pull reads one pull request.
func (api *pullAPI) pull(ctx context.Context, number int) (*sdk.PullRequest, error) {
	var pr *sdk.PullRequest
	err := api.ask(ctx, fmt.Sprintf("look at pull request #%d", number), func(c *sdk.Client) (resp *sdk.Response, err error) {
		pr, resp, err = c.GetPullRequest(api.Owner, api.Repo, int64(number))
		return resp, err
	})
	if err == nil && (pr.Index != int64(number) || pr.Head == nil || pr.Base == nil) {
		return nil, fmt.Errorf("look at pull request #%d: %s answered with something else", number, api.URL)
	}
	return pr, err
}

// request converts the server's form.
func request(pr *sdk.PullRequest) (host.Request, error) {
	r := host.Request{
		Number: int(pr.Index), URL: pr.HTMLURL, Branch: pr.Head.Name, Base: pr.Base.Name, Title: pr.Title, Body: pr.Body,
		Open: pr.State == sdk.StateOpen, Merged: pr.HasMerged, Created: moment(pr.Created), Updated: moment(pr.Updated),
	}
	var err error
	if r.Head, err = tree.ParseHash(pr.Head.Sha); err != nil {
		return r, fmt.Errorf("pull request #%d has the head %q: %w", pr.Index, rest.CutRunes(pr.Head.Sha, maxSaid), err)
	}
	if pr.HasMerged && pr.MergedCommitID != nil {
		if r.Merge, err = tree.ParseHash(*pr.MergedCommitID); err != nil {
			return r, fmt.Errorf("pull request #%d was merged by %q: %w", pr.Index, rest.CutRunes(*pr.MergedCommitID, maxSaid), err)
		}
	}
	if pr.Poster != nil {
		r.Author = pr.Poster.UserName
	}
	for _, l := range pr.Labels {
		if l != nil {
			r.Labels = append(r.Labels, l.Name)
		}
	}
	return r, nil
}

func moment(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
