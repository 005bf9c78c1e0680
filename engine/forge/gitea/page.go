package gitea

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assent-dev/assent/engine/forge/rest"
)

// pageSize is Gitea's default limit of entries on a page.
const pageSize = 50

// pages reads a list until the server has no more, or until enough reports so after a page.
// Lists without pages end too, by a page without new entries.
func pages[T any](ctx context.Context, s *server, doing string, id func(*T) int64, page func(*sdk.Client, sdk.ListOptions) ([]*T, *sdk.Response, error), enough func([]*T) bool) ([]*T, error) {
	read := 0
	all, err := rest.ReadPages(rest.NewBudget(doing+" from "+s.URL, s.maxList), id, func(n int) (entries []*T, answer *http.Response, more bool, err error) {
		total := -1
		err = s.ask(ctx, doing, func(c *sdk.Client) (resp *sdk.Response, err error) {
			entries, resp, err = page(c, sdk.ListOptions{Page: n, PageSize: pageSize})
			if resp != nil && resp.Response != nil {
				answer = resp.Response
				if t, err := strconv.Atoi(resp.Header.Get("X-Total-Count")); err == nil {
					total = t
				}
			}
			return resp, err
		})
		entries = slices.DeleteFunc(entries, func(e *T) bool { return e == nil })
		read += len(entries)
		return entries, answer, total < 0 || read < total, err
	}, enough)
	return all, err
}
