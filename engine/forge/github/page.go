package github

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/go-github/v60/github"

	"github.com/assent-dev/assent/engine/forge/rest"
)

// perPage is the largest page.
const perPage = 100

// everything reads a list to its end.
func everything[T any](s *server, get func(o github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	return everyOne[T, int](s, nil, get)
}

// everyOne reads a list to its end and drops repetitions by key.
func everyOne[T any, K comparable](s *server, key func(T) K, get func(o github.ListOptions) ([]T, *github.Response, error)) ([]T, error) {
	return rest.ReadPages(s.budget(), key, func(n int) (items []T, answer *http.Response, more bool, err error) {
		items, resp, err := get(github.ListOptions{Page: n, PerPage: perPage})
		if err != nil {
			return nil, nil, false, err
		}
		if resp.NextPage != 0 && resp.NextPage <= n {
			return nil, nil, false, errors.New("the list does not end")
		}
		return items, resp.Response, resp.NextPage != 0, nil
	}, nil)
}

// budget returns what may be read of one list.
func (s *server) budget() *rest.Budget { return rest.NewBudget(s.usual.BaseURL.Host, s.maxList) }

// makeOnce creates something that must not exist twice. After a lost answer it looks for
// the result before it tries again.
func makeOnce[T any](ctx context.Context, sleep func(context.Context, time.Duration) error, do func(context.Context) (T, error), look func(context.Context) (T, bool, error)) (T, error) {
	for try := 1; ; try++ {
		made, err := do(ctx)
		if err == nil || !lost(err) || ctx.Err() != nil {
			return made, err
		}
		if pauseErr := sleep(ctx, pauseFirst<<try); pauseErr != nil {
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

// lost reports whether err leaves open if the request was carried out.
func lost(err error) bool {
	status := statusOf(err)
	return (status == 0 || status >= 500) && !isDenied(err) && !isAnswer(err)
}
