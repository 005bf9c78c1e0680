package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// Create opens a pull request for an existing branch. If one into the same base is open
// already, it returns that one.
func (api *pullAPI) Create(ctx context.Context, n host.New) (host.Request, error) {
	var made host.Request
	return made, api.repeat(ctx, func() error {
		pr, err := api.standing(ctx, n.Branch, n.Base)
		if errors.Is(err, host.ErrNoRequest) || err == nil && (pr.State != sdk.StateOpen || pr.Base.Name != n.Base) {
			pr, err = api.create(ctx, n)
		}
		if err == nil {
			made, err = request(pr)
		}
		return err
	})
}

func (api *pullAPI) create(ctx context.Context, n host.New) (*sdk.PullRequest, error) {
	var pr *sdk.PullRequest
	young, err := api.unlessYoung(ctx, func() error {
		return api.ask(ctx, "open a pull request", func(c *sdk.Client) (resp *sdk.Response, err error) {
			pr, resp, err = c.CreatePullRequest(api.Owner, api.Repo, sdk.CreatePullRequestOption{Head: n.Branch, Base: n.Base, Title: title(n.Title), Body: n.Body})
			return resp, err
		})
	})
	var d *host.Denied
	if faster := errors.As(err, &d) && d.Status == http.StatusConflict; faster || young {
		return nil, &busy{error: err}
	}
	if err == nil && !api.from(n.Branch)(pr) {
		return nil, fmt.Errorf("open a pull request: %s answered with something else", api.URL)
	}
	if err != nil {
		return nil, err
	}
	return api.settle(ctx, pr)
}

// settle resolves simultaneous openings, which the server permits: the newest stays, as
// in Find, and the account's others are closed. All of them are on the first page.
func (api *pullAPI) settle(ctx context.Context, pr *sdk.PullRequest) (*sdk.PullRequest, error) {
	open, err := api.pulls(ctx, sdk.StateOpen, func(other *sdk.PullRequest) bool {
		return api.from(pr.Head.Name)(other) && other.Base.Name == pr.Base.Name
	}, func([]*sdk.PullRequest) bool { return true })
	if err != nil || len(open) < 2 {
		return pr, err
	}
	for _, other := range open[1:] {
		if other.Poster != nil && pr.Poster != nil && other.Poster.ID == pr.Poster.ID {
			if err := api.setOpen(ctx, other, false); err != nil {
				return nil, err
			}
		}
	}
	return open[0], nil
}

// maxTitle is the maximum length of a title in runes; the server's limit is 255.
const maxTitle = 250

// title returns text in a form that a title can hold.
func title(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.TrimSpace(rest.CutRunes(strings.TrimSpace(text), maxTitle))
	if text == "" {
		return "(no title)"
	}
	return text
}

// Describe sets title and body if they differ.
func (api *pullAPI) Describe(ctx context.Context, number int, name, body string) error {
	name = title(name)
	return api.repeat(ctx, func() error {
		pr, err := api.pull(ctx, number)
		if err != nil || pr.Title == name && pr.Body == body {
			return err
		}
		return api.edit(ctx, fmt.Sprintf("describe pull request #%d", number), number, sdk.EditPullRequestOption{Title: name, Body: &body})
	})
}

func (api *pullAPI) edit(ctx context.Context, doing string, number int, o sdk.EditPullRequestOption) error {
	err := api.ask(ctx, doing, func(c *sdk.Client) (*sdk.Response, error) {
		_, resp, err := c.EditPullRequest(api.Owner, api.Repo, int64(number), o)
		return resp, err
	})
	var d *host.Denied
	if errors.As(err, &d) && d.Status == http.StatusConflict { // another edit is in progress
		return &busy{error: err}
	}
	return err
}

// SetOpen closes or reopens a pull request. It refuses one whose branch is gone, which
// the server would reopen in a useless state.
func (api *pullAPI) SetOpen(ctx context.Context, number int, open bool) error {
	return api.repeat(ctx, func() error {
		pr, err := api.pull(ctx, number)
		if err != nil {
			return err
		}
		return api.setOpen(ctx, pr, open)
	})
}

func (api *pullAPI) setOpen(ctx context.Context, pr *sdk.PullRequest, open bool) error {
	if open == (pr.State == sdk.StateOpen) {
		return nil
	}
	state, doing := sdk.StateClosed, fmt.Sprintf("close pull request #%d", pr.Index)
	if open {
		state, doing = sdk.StateOpen, fmt.Sprintf("reopen pull request #%d", pr.Index)
		if err := api.ask(ctx, doing, func(c *sdk.Client) (*sdk.Response, error) {
			_, resp, err := c.GetRepoBranch(api.Owner, api.Repo, pr.Head.Name)
			return resp, err
		}); err != nil {
			return gone(err, pr.Head.Name)
		}
	}
	return api.edit(ctx, doing, int(pr.Index), sdk.EditPullRequestOption{State: &state})
}

// gone adds to a 404 error that the branch is missing.
func gone(err error, branch string) error {
	if missing(err) {
		var d *host.Denied
		errors.As(err, &d)
		d.Said, d.Fix = "the branch "+branch+" is gone", "push it again"
	}
	return err
}
