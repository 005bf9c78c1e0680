package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxAnswer bounds an answer: a page of 100 pull requests with bodies of 64 KiB fits.
const maxAnswer = 32 << 20

// usualTime bounds a request with its answer.
const usualTime = time.Minute

// ErrTooLarge is an answer over 32 MiB.
var ErrTooLarge = errors.New("the answer is larger than 32 MiB")

// Bounded is a transport that reads each answer completely, so that a connection that breaks
// in the middle counts as no answer.
type Bounded struct {
	Next http.RoundTripper
	// Time bounds a request with its answer; 0 is a minute.
	Time time.Duration
	// NotEmpty treats empty answers of status 200 and 201 as failures.
	NotEmpty bool
}

// RoundTrip implements http.RoundTripper.
func (b Bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	longest := b.Time
	if longest == 0 {
		longest = usualTime
	}
	ctx, cancel := context.WithTimeout(req.Context(), longest)
	defer cancel()
	resp, err := b.Next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, ErrTooLarge
	}
	full := resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated
	if b.NotEmpty && full && len(bytes.TrimSpace(body)) == 0 {
		return nil, errors.New("the answer is empty")
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// Client sends requests by a transport and follows no redirection, which could lead a token
// elsewhere or turn a POST into a GET.
func Client(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Sleep waits for d, or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
