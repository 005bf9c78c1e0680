package github

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/base/order"
	"github.com/assent-dev/assent/engine/base/tree"
	"github.com/assent-dev/assent/engine/forge/host"
	"github.com/assent-dev/assent/engine/forge/rest"
)

// Limits of GitHub in characters, applied to bytes here.
const (
	maxTitle = 256
	maxBody  = 65536
)

// pullAPI reads and writes pull requests.
type pullAPI struct{ *server }

// Find returns the pull request that represents a branch of this repository.
func (api *pullAPI) Find(ctx context.Context, branch, base string) (host.Request, error) {
	found, err := api.From(ctx, branch, time.Time{})
	if err != nil {
		return host.Request{}, err
	}
	if r, ok := host.Standing(found, base); ok {
		return r, nil
	}
	return host.Request{}, host.ErrNoRequest
}

// From returns all pull requests from a branch of this repository, newest first.
func (api *pullAPI) From(ctx context.Context, branch string, _ time.Time) ([]host.Request, error) {
	found, err := api.pulls(ctx, &github.PullRequestListOptions{State: "all", Head: api.owner + ":" + branch},
		func(b string) bool { return b == branch })
	return found, explain("look for the pull request of "+branch, err)
}

// List returns the pull requests from branches with a prefix, newest first. GitHub lists
// the whole repository, so closed ones cost a request per hundred.
func (api *pullAPI) List(ctx context.Context, prefix string, onlyOpen bool) ([]host.Request, error) {
	state := "all"
	if onlyOpen {
		state = "open"
	}
	found, err := api.pulls(ctx, &github.PullRequestListOptions{State: state},
		func(b string) bool { return strings.HasPrefix(b, prefix) })
	return found, explain("list pull requests", err)
}

// pulls lists pull requests from this repository, newest first, each once: one that is
// opened meanwhile moves others to the next page.
func (api *pullAPI) pulls(ctx context.Context, o *github.PullRequestListOptions, wanted func(branch string) bool) ([]host.Request, error) {
	o.Sort, o.Direction = "created", "desc"
	number := func(pr *github.PullRequest) int { return pr.GetNumber() }
	all, err := everyOne(api.server, number, func(page github.ListOptions) ([]*github.PullRequest, *github.Response, error) {
		o.ListOptions = page
		return api.usual.PullRequests.List(ctx, api.owner, api.repo, o)
	})
	if err != nil {
		return nil, err
	}
	var out []host.Request
	for _, pr := range all {
		if !api.ours(pr) || !wanted(pr.GetHead().GetRef()) {
			continue
		}
		r, err := request(pr)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	order.Sort(out, func(a, b host.Request) int { return cmp.Compare(b.Number, a.Number) })
	return out, nil
}

// ours reports whether a pull request comes from the repository itself. A fork's branch
// may have the same name.
func (api *pullAPI) ours(pr *github.PullRequest) bool {
	head, base := pr.GetHead().GetRepo(), pr.GetBase().GetRepo()
	return head != nil && base != nil && head.GetID() == base.GetID() && strings.EqualFold(head.GetFullName(), base.GetFullName())
}

func request(pr *github.PullRequest) (host.Request, error) {
	head, err := tree.ParseHash(pr.GetHead().GetSHA())
	if err != nil {
		return host.Request{}, fmt.Errorf("pull request %d: %w", pr.GetNumber(), err)
	}
	r := host.Request{
		Number: pr.GetNumber(), URL: pr.GetHTMLURL(),
		Branch: pr.GetHead().GetRef(), Base: pr.GetBase().GetRef(),
		Title: pr.GetTitle(), Body: lines(pr.GetBody()), Head: head,
		Author: pr.GetUser().GetLogin(), Open: pr.GetState() == "open",
		Merged:  pr.GetMerged() || pr.MergedAt != nil,
		Created: pr.GetCreatedAt().Time, Updated: pr.GetUpdatedAt().Time,
	}
	for _, l := range pr.Labels {
		r.Labels = append(r.Labels, l.GetName())
	}
	if r.Merged && pr.GetMergeCommitSHA() != "" { // before, it names a trial merge of GitHub
		r.Merge, err = tree.ParseHash(pr.GetMergeCommitSHA())
		if err != nil {
			return host.Request{}, fmt.Errorf("merge of pull request %d: %w", pr.GetNumber(), err)
		}
	}
	return r, nil
}

// lines reverts the line ends that GitHub's editor writes.
func lines(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func (api *pullAPI) get(ctx context.Context, number int) (host.Request, error) {
	pr, _, err := api.usual.PullRequests.Get(ctx, api.owner, api.repo, number)
	if err != nil {
		return host.Request{}, explain(fmt.Sprintf("read pull request %d", number), err)
	}
	return request(pr)
}

// Create opens a pull request for a branch, unless one is open already.
func (api *pullAPI) Create(ctx context.Context, n host.New) (host.Request, error) {
	open := func(ctx context.Context) (host.Request, bool, error) {
		r, err := api.Find(ctx, n.Branch, n.Base)
		if err == host.ErrNoRequest { //nolint:errorlint // Find returns it as it is
			return r, false, nil
		}
		return r, err == nil && r.Open && r.Base == n.Base, err
	}
	if r, ok, err := open(ctx); ok || err != nil {
		return r, err
	}
	r, err := makeOnce(ctx, api.sleep, func(ctx context.Context) (host.Request, error) {
		pr, _, err := api.usual.PullRequests.Create(ctx, api.owner, api.repo, &github.NewPullRequest{
			Title: github.String(titled(n.Title)), Body: github.String(rest.CutBytes(n.Body, maxBody)),
			Head: github.String(n.Branch), Base: github.String(n.Base),
		})
		if err != nil {
			return host.Request{}, err
		}
		return request(pr)
	}, open)
	if statusOf(err) == http.StatusUnprocessableEntity {
		if r, ok, findErr := open(ctx); ok && findErr == nil {
			return r, nil // another engine was faster
		}
	}
	return r, explain("open a pull request for "+n.Branch, err)
}

// titled returns a title that GitHub can store.
func titled(s string) string { return strings.TrimSpace(rest.CutBytes(strings.TrimSpace(s), maxTitle)) }

// Describe sets title and body if they differ.
func (api *pullAPI) Describe(ctx context.Context, number int, title, body string) error {
	title, body = titled(title), rest.CutBytes(body, maxBody)
	now, err := api.get(ctx, number)
	if err != nil || now.Title == title && now.Body == lines(body) {
		return err
	}
	return api.edit(ctx, fmt.Sprintf("describe pull request %d", number), number, map[string]string{"title": title, "body": body})
}

// SetOpen closes a pull request or opens it again.
func (api *pullAPI) SetOpen(ctx context.Context, number int, open bool) error {
	now, err := api.get(ctx, number)
	if err != nil || now.Open == open {
		return err
	}
	if open {
		return api.edit(ctx, fmt.Sprintf("open pull request %d again", number), number, map[string]string{"state": "open"})
	}
	return api.edit(ctx, fmt.Sprintf("close pull request %d", number), number, map[string]string{"state": "closed"})
}

// edit changes only the named fields. go-github's own call would also write the base and
// whether maintainers may push.
func (api *pullAPI) edit(ctx context.Context, doing string, number int, change map[string]string) error {
	return explain(doing, api.do(ctx, api.usual, http.MethodPatch, api.path("pulls/%d", number), change, nil))
}
