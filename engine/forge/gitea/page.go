package gitea

import (
	"context"
	"fmt"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"
)

// pageSize is what Gitea hands out at once at most, if nobody configured it otherwise.
const pageSize = 50

// maxPages bounds a list that a hostile server never ends.
const maxPages = 2000

// pages reads a list until the server has no more, or until enough says so after a page.
// What comes twice because the list grew meanwhile is left out the second time; a page
// with nothing new is the end, so that lists without pages end too.
func pages[T any](ctx context.Context, h *Host, doing string, id func(*T) int64, page func(*sdk.Client, sdk.ListOptions) ([]*T, *sdk.Response, error), enough func([]*T) bool) ([]*T, error) {
	var all []*T
	seen := map[int64]bool{}
	for n := 1; n <= maxPages; n++ {
		var entries []*T
		total := -1
		err := h.ask(ctx, doing, func(c *sdk.Client) (resp *sdk.Response, err error) {
			entries, resp, err = page(c, sdk.ListOptions{Page: n, PageSize: pageSize})
			if resp != nil && resp.Response != nil {
				if t, err := strconv.Atoi(resp.Header.Get("X-Total-Count")); err == nil {
					total = t
				}
			}
			return resp, err
		})
		if err != nil {
			return nil, err
		}
		before := len(all)
		for _, e := range entries {
			if e != nil && !seen[id(e)] {
				seen[id(e)] = true
				all = append(all, e)
			}
		}
		if len(all) == before || total >= 0 && len(all) >= total || enough != nil && enough(all[before:]) {
			return all, nil
		}
	}
	return nil, fmt.Errorf("%s: %s has no end of it after %d entries", doing, h.URL, len(all))
}
