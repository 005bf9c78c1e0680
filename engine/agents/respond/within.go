package respond

import (
	"context"
	"fmt"
	"time"
)

// patience bounds how long a client waits, such as for a service or a disk that does not answer.
const patience = 5 * time.Second

// within returns the result of f. A panic of f is an error, and so is an f that has not returned
// after twice the time that its context has.
func within[T any](ctx context.Context, most time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if broken := recover(); broken != nil {
				r.err = fmt.Errorf("internal error: %v", broken)
			}
			done <- r
		}()
		r.out, r.err = f(ctx)
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-time.After(2 * most):
		var none T
		return none, fmt.Errorf("no answer after %v: %w", 2*most, context.DeadlineExceeded)
	}
}
