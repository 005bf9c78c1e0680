package github

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v60/github"
)

// Bounds of one list.
const (
	perPage  = 100
	maxPages = 2000
)

// everything reads a list to its end.
func everything[T any](get func(o github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	var all []T
	for page := 1; page <= maxPages; {
		items, resp, err := get(github.ListOptions{Page: page, PerPage: perPage})
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if resp.NextPage == 0 {
			return all, nil
		}
		if resp.NextPage <= page || len(all) > perPage*maxPages {
			return nil, errors.New("the list does not end")
		}
		page = resp.NextPage
	}
	return nil, fmt.Errorf("the list is longer than %d pages", maxPages)
}

// makeOnce makes something that must not be there twice. When the answer is lost it
// looks whether it was made before it tries again.
func makeOnce[T any](ctx context.Context, h *Host, do func(context.Context) (T, error), look func(context.Context) (T, bool, error)) (T, error) {
	for try := 1; ; try++ {
		made, err := do(ctx)
		if err == nil || !lost(err) || ctx.Err() != nil {
			return made, err
		}
		if pauseErr := h.sleep(ctx, pauseFirst<<try); pauseErr != nil {
			return made, err
		}
		found, ok, lookErr := look(ctx)
		if lookErr != nil || ok || try == failures {
			return found, errorUnless(ok, errors.Join(err, lookErr))
		}
	}
}

func errorUnless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

// lost tells an answer that says nothing about whether the request was carried out.
func lost(err error) bool {
	status := statusOf(err)
	return (status == 0 || status >= 500) && !isDenied(err) && !isAnswer(err)
}
